// Events: entries of the durable log, and which of them are asked for.

import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  EventSchema,
  type ListEventsRequest,
  ListEventsRequestSchema,
  type SubscribeEventsRequest,
  SubscribeEventsRequestSchema,
  type Event as WireEvent,
  EventOrigin as WireOrigin,
  EventType as WireType,
} from "@kinpost/protocol";

import { instant, numberOf, wordOf } from "./words.js";
import type { EventType, Origin } from "./terms.js";

type Payload = Exclude<WireEvent["payload"], { case: undefined }>;
type SnakeCase<Name extends string> = Name extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${SnakeCase<Tail>}`
  : "";

/** What every entry of a session's log has. */
export interface EventFacts {
  readonly sessionId: string;
  readonly rootSessionId: string;
  readonly seq: number;
  readonly position: number;
  readonly eventTime: Date;
  readonly runId: string | undefined;
  readonly origin: Origin;
}

/** An event whose payload this client knows: `type` is its name in the contract, `payload` the generated message. */
export type KnownEvent = {
  [Arm in Payload as Arm["case"]]: EventFacts & {
    readonly type: SnakeCase<Arm["case"]>;
    readonly payload: Arm["value"];
  };
}[Payload["case"]];

/** An event of a newer contract. */
export type UnknownEvent = EventFacts & { readonly type: "unknown"; readonly payload: undefined };

/** One entry of a session's log; `type` tells which payload it has. */
export type Event = KnownEvent | UnknownEvent;

/** Which events, and from where. With neither `sessionId` nor `rootSessionId` they are everybody's. */
export interface EventScope {
  /** One session's. */
  readonly sessionId?: string | undefined;
  /** One tree's. */
  readonly rootSessionId?: string | undefined;
  /** After this cursor; an empty one, as a subscription has before its first frame, is none. */
  readonly afterCursor?: string | undefined;
  /** After this sequence number of the session. */
  readonly afterSeq?: number | undefined;
  /** Only these; all when there are none. */
  readonly eventTypes?: Iterable<EventType> | undefined;
}

/** Which events a subscription begins with. */
export interface SubscriptionScope extends EventScope {
  /** Only what comes from now on. */
  readonly fromNow?: boolean | undefined;
}

const NAMES: ReadonlyMap<string, string> = new Map(EventSchema.fields.map((field) => [field.localName, field.name]));

/** Returns an event; a payload of a newer contract stays unknown. */
export function eventOf(wire: WireEvent): Event {
  const { case: name, value } = wire.payload;
  const facts: EventFacts = {
    sessionId: wire.sessionId,
    rootSessionId: wire.rootSessionId,
    seq: Number(wire.seq),
    position: Number(wire.position),
    eventTime: instant(wire.eventTime),
    runId: wire.runId,
    origin: wordOf(WireOrigin, wire.origin),
  };
  return { ...facts, type: name === undefined ? "unknown" : NAMES.get(name), payload: value } as Event;
}

/** Returns the request of a subscription. Throws TypeError for contradictions and unknown types. */
export function subscriptionRequest(scope: SubscriptionScope): SubscribeEventsRequest {
  const init: MessageInitShape<typeof SubscribeEventsRequestSchema> = common(scope);
  if (scope.fromNow) {
    if (init.start !== undefined) {
      throw new TypeError("fromNow excludes afterCursor and afterSeq");
    }
    init.start = { case: "fromNow", value: true };
  }
  return create(SubscribeEventsRequestSchema, init);
}

/** Returns the request of the first page. Throws TypeError for contradictions and unknown types. */
export function listingRequest(scope: EventScope): ListEventsRequest {
  return create(ListEventsRequestSchema, { ...common(scope), pageSize: 1000 });
}

type Common = Pick<MessageInitShape<typeof ListEventsRequestSchema>, "scope" | "start" | "eventTypes">;

function common({ sessionId, rootSessionId, afterCursor: given, afterSeq, eventTypes = [] }: EventScope): Common {
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
  const init: Common = { eventTypes: [...eventTypes].map((type) => numberOf(WireType, type)) };
  if (sessionId !== undefined) {
    init.scope = { case: "sessionId", value: sessionId };
  } else if (rootSessionId !== undefined) {
    init.scope = { case: "rootSessionId", value: rootSessionId };
  } else {
    init.scope = { case: "all", value: true };
  }
  if (afterCursor !== undefined) {
    init.start = { case: "afterCursor", value: afterCursor };
  } else if (afterSeq !== undefined) {
    init.start = { case: "afterSeq", value: BigInt(afterSeq) };
  }
  return init;
}
