// Events: entries of the durable log, and which of them are asked for.
import { create } from "@bufbuild/protobuf";
import { EventSchema, ListEventsRequestSchema, SubscribeEventsRequestSchema, EventOrigin as WireOrigin, EventType as WireType, } from "@kinpost/protocol";
import { instant, numberOf, wordOf } from "./words.js";
const NAMES = new Map(EventSchema.fields.map((field) => [field.localName, field.name]));
/** Returns an event; a payload of a newer contract stays unknown. */
export function eventOf(wire) {
    const { case: name, value } = wire.payload;
    const facts = {
        sessionId: wire.sessionId,
        rootSessionId: wire.rootSessionId,
        seq: Number(wire.seq),
        position: Number(wire.position),
        eventTime: instant(wire.eventTime),
        runId: wire.runId,
        origin: wordOf(WireOrigin, wire.origin),
    };
    return { ...facts, type: name === undefined ? "unknown" : NAMES.get(name), payload: value };
}
/** Returns the request of a subscription. Throws TypeError for contradictions and unknown types. */
export function subscriptionRequest(scope) {
    const init = common(scope);
    if (scope.fromNow) {
        if (init.start !== undefined) {
            throw new TypeError("fromNow excludes afterCursor and afterSeq");
        }
        init.start = { case: "fromNow", value: true };
    }
    return create(SubscribeEventsRequestSchema, init);
}
/** Returns the request of the first page. Throws TypeError for contradictions and unknown types. */
export function listingRequest(scope) {
    return create(ListEventsRequestSchema, { ...common(scope), pageSize: 1000 });
}
function common({ sessionId, rootSessionId, afterCursor: given, afterSeq, eventTypes = [] }) {
    const afterCursor = given || undefined;
    if (sessionId !== undefined && rootSessionId !== undefined) {
        throw new TypeError("sessionId and rootSessionId exclude each other");
    }
    if (afterCursor !== undefined && afterSeq !== undefined) {
        throw new TypeError("afterCursor and afterSeq exclude each other");
    }
    if (afterSeq !== undefined && sessionId === undefined) {
        throw new TypeError("afterSeq counts within one session");
    }
    const init = { eventTypes: [...eventTypes].map((type) => numberOf(WireType, type)) };
    if (sessionId !== undefined) {
        init.scope = { case: "sessionId", value: sessionId };
    }
    else if (rootSessionId !== undefined) {
        init.scope = { case: "rootSessionId", value: rootSessionId };
    }
    else {
        init.scope = { case: "all", value: true };
    }
    if (afterCursor !== undefined) {
        init.start = { case: "afterCursor", value: afterCursor };
    }
    else if (afterSeq !== undefined) {
        init.start = { case: "afterSeq", value: BigInt(afterSeq) };
    }
    return init;
}
