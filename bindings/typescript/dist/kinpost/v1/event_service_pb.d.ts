import type { GenEnum, GenFile, GenMessage, GenService } from "@bufbuild/protobuf/codegenv2";
import type { Event } from "./event_pb.js";
import type { Message } from "@bufbuild/protobuf";
/**
 * Describes the file kinpost/v1/event_service.proto.
 */
export declare const file_kinpost_v1_event_service: GenFile;
/**
 * See EventService.SubscribeEvents.
 *
 * @generated from message kinpost.v1.SubscribeEventsRequest
 */
export type SubscribeEventsRequest = Message<"kinpost.v1.SubscribeEventsRequest"> & {
    /**
     * Whose events.
     *
     * @generated from oneof kinpost.v1.SubscribeEventsRequest.scope
     */
    scope: {
        /**
         * One session's.
         *
         * @generated from field: string session_id = 1;
         */
        value: string;
        case: "sessionId";
    } | {
        /**
         * One tree's.
         *
         * @generated from field: string root_session_id = 2;
         */
        value: string;
        case: "rootSessionId";
    } | {
        /**
         * Everybody's; must be true.
         *
         * @generated from field: bool all = 3;
         */
        value: boolean;
        case: "all";
    } | {
        case: undefined;
        value?: undefined;
    };
    /**
     * From where; unset means from the beginning of what is kept.
     *
     * @generated from oneof kinpost.v1.SubscribeEventsRequest.start
     */
    start: {
        /**
         * After this cursor.
         *
         * @generated from field: string after_cursor = 4;
         */
        value: string;
        case: "afterCursor";
    } | {
        /**
         * After this sequence number; only for one session.
         *
         * @generated from field: int64 after_seq = 5;
         */
        value: bigint;
        case: "afterSeq";
    } | {
        /**
         * Only what comes from now on; must be true.
         *
         * @generated from field: bool from_now = 6;
         */
        value: boolean;
        case: "fromNow";
    } | {
        case: undefined;
        value?: undefined;
    };
    /**
     * Only these; empty for all.
     *
     * @generated from field: repeated kinpost.v1.EventType event_types = 7;
     */
    eventTypes: EventType[];
};
/**
 * Describes the message kinpost.v1.SubscribeEventsRequest.
 * Use `create(SubscribeEventsRequestSchema)` to create a new message.
 */
export declare const SubscribeEventsRequestSchema: GenMessage<SubscribeEventsRequest>;
/**
 * One frame of a subscription.
 *
 * @generated from message kinpost.v1.SubscribeEventsResponse
 */
export type SubscribeEventsResponse = Message<"kinpost.v1.SubscribeEventsResponse"> & {
    /**
     * In log order; may be many.
     *
     * @generated from field: repeated kinpost.v1.Event events = 1;
     */
    events: Event[];
    /**
     * Resumes right after this frame.
     *
     * @generated from field: string cursor = 2;
     */
    cursor: string;
    /**
     * Whether the subscriber now has everything that is stored.
     *
     * @generated from field: bool caught_up = 3;
     */
    caughtUp: boolean;
    /**
     * Whether this frame only says that the stream lives.
     *
     * @generated from field: bool heartbeat = 4;
     */
    heartbeat: boolean;
};
/**
 * Describes the message kinpost.v1.SubscribeEventsResponse.
 * Use `create(SubscribeEventsResponseSchema)` to create a new message.
 */
export declare const SubscribeEventsResponseSchema: GenMessage<SubscribeEventsResponse>;
/**
 * See EventService.ListEvents.
 *
 * @generated from message kinpost.v1.ListEventsRequest
 */
export type ListEventsRequest = Message<"kinpost.v1.ListEventsRequest"> & {
    /**
     * Whose events.
     *
     * @generated from oneof kinpost.v1.ListEventsRequest.scope
     */
    scope: {
        /**
         * One session's.
         *
         * @generated from field: string session_id = 1;
         */
        value: string;
        case: "sessionId";
    } | {
        /**
         * One tree's.
         *
         * @generated from field: string root_session_id = 2;
         */
        value: string;
        case: "rootSessionId";
    } | {
        /**
         * Everybody's; must be true.
         *
         * @generated from field: bool all = 3;
         */
        value: boolean;
        case: "all";
    } | {
        case: undefined;
        value?: undefined;
    };
    /**
     * From where; unset means from the beginning of what is kept.
     *
     * @generated from oneof kinpost.v1.ListEventsRequest.start
     */
    start: {
        /**
         * After this cursor.
         *
         * @generated from field: string after_cursor = 4;
         */
        value: string;
        case: "afterCursor";
    } | {
        /**
         * After this sequence number; only for one session.
         *
         * @generated from field: int64 after_seq = 5;
         */
        value: bigint;
        case: "afterSeq";
    } | {
        case: undefined;
        value?: undefined;
    };
    /**
     * Only these; empty for all.
     *
     * @generated from field: repeated kinpost.v1.EventType event_types = 7;
     */
    eventTypes: EventType[];
    /**
     * 1 to 1000; 0 means 100.
     *
     * @generated from field: uint32 page_size = 8;
     */
    pageSize: number;
    /**
     * From the last answer; takes the place of the start.
     *
     * @generated from field: string page_token = 9;
     */
    pageToken: string;
};
/**
 * Describes the message kinpost.v1.ListEventsRequest.
 * Use `create(ListEventsRequestSchema)` to create a new message.
 */
export declare const ListEventsRequestSchema: GenMessage<ListEventsRequest>;
/**
 * See EventService.ListEvents.
 *
 * @generated from message kinpost.v1.ListEventsResponse
 */
export type ListEventsResponse = Message<"kinpost.v1.ListEventsResponse"> & {
    /**
     * In log order.
     *
     * @generated from field: repeated kinpost.v1.Event events = 1;
     */
    events: Event[];
    /**
     * Resumes right after this page, here or in a subscription.
     *
     * @generated from field: string cursor = 2;
     */
    cursor: string;
    /**
     * Empty when this page reached the end of the log.
     *
     * @generated from field: string next_page_token = 3;
     */
    nextPageToken: string;
};
/**
 * Describes the message kinpost.v1.ListEventsResponse.
 * Use `create(ListEventsResponseSchema)` to create a new message.
 */
export declare const ListEventsResponseSchema: GenMessage<ListEventsResponse>;
/**
 * Which of the payloads of an Event; the names are those of its oneof.
 *
 * @generated from enum kinpost.v1.EventType
 */
export declare enum EventType {
    /**
     * @generated from enum value: EVENT_TYPE_UNSPECIFIED = 0;
     */
    UNSPECIFIED = 0,
    /**
     * @generated from enum value: EVENT_TYPE_SESSION_CREATED = 20;
     */
    SESSION_CREATED = 20,
    /**
     * @generated from enum value: EVENT_TYPE_SESSION_AVAILABILITY_CHANGED = 21;
     */
    SESSION_AVAILABILITY_CHANGED = 21,
    /**
     * @generated from enum value: EVENT_TYPE_SESSION_UNQUEUED = 22;
     */
    SESSION_UNQUEUED = 22,
    /**
     * @generated from enum value: EVENT_TYPE_SESSION_FORKED = 23;
     */
    SESSION_FORKED = 23,
    /**
     * @generated from enum value: EVENT_TYPE_SESSION_REVERTED = 24;
     */
    SESSION_REVERTED = 24,
    /**
     * @generated from enum value: EVENT_TYPE_SESSION_DELETED = 25;
     */
    SESSION_DELETED = 25,
    /**
     * @generated from enum value: EVENT_TYPE_RUN_STARTED = 40;
     */
    RUN_STARTED = 40,
    /**
     * @generated from enum value: EVENT_TYPE_RUN_FINISHED = 41;
     */
    RUN_FINISHED = 41,
    /**
     * @generated from enum value: EVENT_TYPE_TURN_COMMITTED = 42;
     */
    TURN_COMMITTED = 42,
    /**
     * @generated from enum value: EVENT_TYPE_PRODUCER_MESSAGE_ACCEPTED = 60;
     */
    PRODUCER_MESSAGE_ACCEPTED = 60,
    /**
     * @generated from enum value: EVENT_TYPE_PRODUCER_MESSAGE_ADMITTED = 61;
     */
    PRODUCER_MESSAGE_ADMITTED = 61,
    /**
     * @generated from enum value: EVENT_TYPE_PRODUCER_MESSAGES_CLAIMED = 62;
     */
    PRODUCER_MESSAGES_CLAIMED = 62,
    /**
     * @generated from enum value: EVENT_TYPE_PRODUCER_MESSAGES_RELEASED = 63;
     */
    PRODUCER_MESSAGES_RELEASED = 63,
    /**
     * @generated from enum value: EVENT_TYPE_PRODUCER_MESSAGE_CONSUMED = 64;
     */
    PRODUCER_MESSAGE_CONSUMED = 64,
    /**
     * @generated from enum value: EVENT_TYPE_PRODUCER_MESSAGE_DISCARDED = 65;
     */
    PRODUCER_MESSAGE_DISCARDED = 65,
    /**
     * @generated from enum value: EVENT_TYPE_SENT_MESSAGE_UNDELIVERABLE = 66;
     */
    SENT_MESSAGE_UNDELIVERABLE = 66,
    /**
     * @generated from enum value: EVENT_TYPE_WAKE_REQUESTED = 80;
     */
    WAKE_REQUESTED = 80,
    /**
     * @generated from enum value: EVENT_TYPE_WAKE_OFFERED = 81;
     */
    WAKE_OFFERED = 81,
    /**
     * @generated from enum value: EVENT_TYPE_WAKE_FAILED = 82;
     */
    WAKE_FAILED = 82,
    /**
     * @generated from enum value: EVENT_TYPE_WAKE_SETTLED = 83;
     */
    WAKE_SETTLED = 83,
    /**
     * @generated from enum value: EVENT_TYPE_WAKE_WITHDRAWN = 84;
     */
    WAKE_WITHDRAWN = 84,
    /**
     * @generated from enum value: EVENT_TYPE_APPROVAL_REQUESTED = 100;
     */
    APPROVAL_REQUESTED = 100,
    /**
     * @generated from enum value: EVENT_TYPE_APPROVAL_DECIDED = 101;
     */
    APPROVAL_DECIDED = 101,
    /**
     * @generated from enum value: EVENT_TYPE_APPROVAL_USED = 102;
     */
    APPROVAL_USED = 102,
    /**
     * @generated from enum value: EVENT_TYPE_APPROVAL_EXPIRED = 103;
     */
    APPROVAL_EXPIRED = 103,
    /**
     * @generated from enum value: EVENT_TYPE_APPROVAL_CANCELLED = 104;
     */
    APPROVAL_CANCELLED = 104,
    /**
     * @generated from enum value: EVENT_TYPE_PRODUCER_REGISTERED = 120;
     */
    PRODUCER_REGISTERED = 120,
    /**
     * @generated from enum value: EVENT_TYPE_PRODUCER_UNREGISTERED = 121;
     */
    PRODUCER_UNREGISTERED = 121,
    /**
     * @generated from enum value: EVENT_TYPE_PEER_MESSAGE_SENT = 140;
     */
    PEER_MESSAGE_SENT = 140,
    /**
     * @generated from enum value: EVENT_TYPE_PEER_DEAD_LETTER_RECORDED = 141;
     */
    PEER_DEAD_LETTER_RECORDED = 141,
    /**
     * @generated from enum value: EVENT_TYPE_PEER_DEAD_LETTER_REDELIVERED = 142;
     */
    PEER_DEAD_LETTER_REDELIVERED = 142
}
/**
 * Describes the enum kinpost.v1.EventType.
 */
export declare const EventTypeSchema: GenEnum<EventType>;
/**
 * The durable log, for subscribers.
 *
 * @generated from service kinpost.v1.EventService
 */
export declare const EventService: GenService<{
    /**
     * Streams the events of a session, a tree, or everything: first what is stored after the given point, then live, with
     * neither hole nor repeat. A slow reader lags and loses nothing. The stream ends only with a status that says why.
     *
     * Errors: request:invalid; session:not_found; auth:forbidden; events:other_log; events:cursor_out_of_range;
     * events:cursor_expired; server:overloaded.
     *
     * @generated from rpc kinpost.v1.EventService.SubscribeEvents
     */
    subscribeEvents: {
        methodKind: "server_streaming";
        input: typeof SubscribeEventsRequestSchema;
        output: typeof SubscribeEventsResponseSchema;
    };
    /**
     * Returns a page of the same events.
     *
     * Errors: as SubscribeEvents.
     *
     * @generated from rpc kinpost.v1.EventService.ListEvents
     */
    listEvents: {
        methodKind: "unary";
        input: typeof ListEventsRequestSchema;
        output: typeof ListEventsResponseSchema;
    };
}>;
