import { type ListEventsRequest, type SubscribeEventsRequest, type Event as WireEvent } from "@kinpost/protocol";
import type { EventType, Origin } from "./terms.js";
type Payload = Exclude<WireEvent["payload"], {
    case: undefined;
}>;
type SnakeCase<Name extends string> = Name extends `${infer Head}${infer Tail}` ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${SnakeCase<Tail>}` : "";
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
export type UnknownEvent = EventFacts & {
    readonly type: "unknown";
    readonly payload: undefined;
};
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
/** Returns an event; a payload of a newer contract stays unknown. */
export declare function eventOf(wire: WireEvent): Event;
/** Returns the request of a subscription. Throws TypeError for contradictions and unknown types. */
export declare function subscriptionRequest(scope: SubscriptionScope): SubscribeEventsRequest;
/** Returns the request of the first page. Throws TypeError for contradictions and unknown types. */
export declare function listingRequest(scope: EventScope): ListEventsRequest;
export {};
