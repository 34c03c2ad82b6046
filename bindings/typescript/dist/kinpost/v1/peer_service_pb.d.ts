import type { GenFile, GenMessage, GenService } from "@bufbuild/protobuf/codegenv2";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { DeadLetter, PeerMessageSummary } from "./peer_pb.js";
import type { Message } from "@bufbuild/protobuf";
/**
 * Describes the file kinpost/v1/peer_service.proto.
 */
export declare const file_kinpost_v1_peer_service: GenFile;
/**
 * What a peer delivery answers.
 *
 * @generated from message kinpost.v1.PeerDelivery
 */
export type PeerDelivery = Message<"kinpost.v1.PeerDelivery"> & {
    /**
     * Whether the target's log has it.
     *
     * @generated from field: bool delivered = 1;
     */
    delivered: boolean;
    /**
     * Whether the receiver gets it later.
     *
     * @generated from field: bool queued = 2;
     */
    queued: boolean;
    /**
     * What the target was woken from: `archived`, `ended` or `error`.
     *
     * @generated from field: optional string woken_from = 3;
     */
    wokenFrom?: string | undefined;
    /**
     * Whether this answer repeats an earlier one.
     *
     * @generated from field: bool idempotent = 4;
     */
    idempotent: boolean;
    /**
     * The message, when delivered.
     *
     * @generated from field: string message_id = 5;
     */
    messageId: string;
};
/**
 * Describes the message kinpost.v1.PeerDelivery.
 * Use `create(PeerDeliverySchema)` to create a new message.
 */
export declare const PeerDeliverySchema: GenMessage<PeerDelivery>;
/**
 * See PeerService.SendPeerMessage.
 *
 * @generated from message kinpost.v1.SendPeerMessageRequest
 */
export type SendPeerMessageRequest = Message<"kinpost.v1.SendPeerMessageRequest"> & {
    /**
     * The target.
     *
     * @generated from field: string session_id = 1;
     */
    sessionId: string;
    /**
     * The sender; the token must be allowed to act for it.
     *
     * @generated from field: string source_session_id = 2;
     */
    sourceSessionId: string;
    /**
     * 1 to 32,000 code points.
     *
     * @generated from field: string text = 3;
     */
    text: string;
    /**
     * 1 to 600 code points; needed past 1000 of text.
     *
     * @generated from field: optional string tldr = 4;
     */
    tldr?: string | undefined;
    /**
     * Makes a retry safe; may be empty. At most 256 bytes.
     *
     * @generated from field: string client_request_id = 5;
     */
    clientRequestId: string;
    /**
     * Proceed although the target sleeps.
     *
     * @generated from field: bool confirm_inactive_target = 6;
     */
    confirmInactiveTarget: boolean;
    /**
     * Cancel the target's turn in place of queueing.
     *
     * @generated from field: bool confirm_interrupt_turn = 7;
     */
    confirmInterruptTurn: boolean;
    /**
     * Reopen a target that a person closed (admin only).
     *
     * @generated from field: bool allow_reopen_user_closed = 8;
     */
    allowReopenUserClosed: boolean;
    /**
     * Park the message under a spent budget.
     *
     * @generated from field: bool queue_if_limited = 9;
     */
    queueIfLimited: boolean;
};
/**
 * Describes the message kinpost.v1.SendPeerMessageRequest.
 * Use `create(SendPeerMessageRequestSchema)` to create a new message.
 */
export declare const SendPeerMessageRequestSchema: GenMessage<SendPeerMessageRequest>;
/**
 * See PeerService.SendPeerMessage.
 *
 * @generated from message kinpost.v1.SendPeerMessageResponse
 */
export type SendPeerMessageResponse = Message<"kinpost.v1.SendPeerMessageResponse"> & {
    /**
     * What happened.
     *
     * @generated from field: kinpost.v1.PeerDelivery delivery = 1;
     */
    delivery?: PeerDelivery | undefined;
};
/**
 * Describes the message kinpost.v1.SendPeerMessageResponse.
 * Use `create(SendPeerMessageResponseSchema)` to create a new message.
 */
export declare const SendPeerMessageResponseSchema: GenMessage<SendPeerMessageResponse>;
/**
 * See PeerService.BroadcastPeerMessage.
 *
 * @generated from message kinpost.v1.BroadcastPeerMessageRequest
 */
export type BroadcastPeerMessageRequest = Message<"kinpost.v1.BroadcastPeerMessageRequest"> & {
    /**
     * The targets, 1 to 100.
     *
     * @generated from field: repeated string session_ids = 1;
     */
    sessionIds: string[];
    /**
     * The sender.
     *
     * @generated from field: string source_session_id = 2;
     */
    sourceSessionId: string;
    /**
     * 1 to 32,000 code points.
     *
     * @generated from field: string text = 3;
     */
    text: string;
    /**
     * 1 to 600 code points; needed past 1000 of text.
     *
     * @generated from field: optional string tldr = 4;
     */
    tldr?: string | undefined;
    /**
     * Makes a retry safe; may be empty.
     *
     * @generated from field: string client_request_id = 5;
     */
    clientRequestId: string;
    /**
     * Proceed although a target sleeps.
     *
     * @generated from field: bool confirm_inactive_target = 6;
     */
    confirmInactiveTarget: boolean;
};
/**
 * Describes the message kinpost.v1.BroadcastPeerMessageRequest.
 * Use `create(BroadcastPeerMessageRequestSchema)` to create a new message.
 */
export declare const BroadcastPeerMessageRequestSchema: GenMessage<BroadcastPeerMessageRequest>;
/**
 * One target's result.
 *
 * @generated from message kinpost.v1.PeerBroadcastResult
 */
export type PeerBroadcastResult = Message<"kinpost.v1.PeerBroadcastResult"> & {
    /**
     * The target.
     *
     * @generated from field: string session_id = 1;
     */
    sessionId: string;
    /**
     * What happened, unless refused.
     *
     * @generated from field: optional kinpost.v1.PeerDelivery delivery = 2;
     */
    delivery?: PeerDelivery | undefined;
    /**
     * The error's name, when refused.
     *
     * @generated from field: string error = 3;
     */
    error: string;
    /**
     * More about it.
     *
     * @generated from field: string detail = 4;
     */
    detail: string;
};
/**
 * Describes the message kinpost.v1.PeerBroadcastResult.
 * Use `create(PeerBroadcastResultSchema)` to create a new message.
 */
export declare const PeerBroadcastResultSchema: GenMessage<PeerBroadcastResult>;
/**
 * See PeerService.BroadcastPeerMessage.
 *
 * @generated from message kinpost.v1.BroadcastPeerMessageResponse
 */
export type BroadcastPeerMessageResponse = Message<"kinpost.v1.BroadcastPeerMessageResponse"> & {
    /**
     * In the order of the request.
     *
     * @generated from field: repeated kinpost.v1.PeerBroadcastResult results = 1;
     */
    results: PeerBroadcastResult[];
};
/**
 * Describes the message kinpost.v1.BroadcastPeerMessageResponse.
 * Use `create(BroadcastPeerMessageResponseSchema)` to create a new message.
 */
export declare const BroadcastPeerMessageResponseSchema: GenMessage<BroadcastPeerMessageResponse>;
/**
 * See PeerService.FollowUp.
 *
 * @generated from message kinpost.v1.FollowUpRequest
 */
export type FollowUpRequest = Message<"kinpost.v1.FollowUpRequest"> & {
    /**
     * The target.
     *
     * @generated from field: string session_id = 1;
     */
    sessionId: string;
    /**
     * The sender.
     *
     * @generated from field: string source_session_id = 2;
     */
    sourceSessionId: string;
    /**
     * 1 to 32,000 code points.
     *
     * @generated from field: string text = 3;
     */
    text: string;
    /**
     * 1 to 600 code points; needed past 1000 of text.
     *
     * @generated from field: optional string tldr = 4;
     */
    tldr?: string | undefined;
    /**
     * Makes a retry safe; may be empty.
     *
     * @generated from field: string client_request_id = 5;
     */
    clientRequestId: string;
    /**
     * Proceed although the target sleeps.
     *
     * @generated from field: bool confirm_inactive_target = 6;
     */
    confirmInactiveTarget: boolean;
};
/**
 * Describes the message kinpost.v1.FollowUpRequest.
 * Use `create(FollowUpRequestSchema)` to create a new message.
 */
export declare const FollowUpRequestSchema: GenMessage<FollowUpRequest>;
/**
 * See PeerService.FollowUp.
 *
 * @generated from message kinpost.v1.FollowUpResponse
 */
export type FollowUpResponse = Message<"kinpost.v1.FollowUpResponse"> & {
    /**
     * What happened.
     *
     * @generated from field: kinpost.v1.PeerDelivery delivery = 1;
     */
    delivery?: PeerDelivery | undefined;
};
/**
 * Describes the message kinpost.v1.FollowUpResponse.
 * Use `create(FollowUpResponseSchema)` to create a new message.
 */
export declare const FollowUpResponseSchema: GenMessage<FollowUpResponse>;
/**
 * See PeerService.QueuePeerMessage.
 *
 * @generated from message kinpost.v1.QueuePeerMessageRequest
 */
export type QueuePeerMessageRequest = Message<"kinpost.v1.QueuePeerMessageRequest"> & {
    /**
     * The target.
     *
     * @generated from field: string session_id = 1;
     */
    sessionId: string;
    /**
     * The sender.
     *
     * @generated from field: string source_session_id = 2;
     */
    sourceSessionId: string;
    /**
     * 1 to 32,000 code points.
     *
     * @generated from field: string text = 3;
     */
    text: string;
    /**
     * 1 to 600 code points; needed past 1000 of text.
     *
     * @generated from field: optional string tldr = 4;
     */
    tldr?: string | undefined;
    /**
     * Makes a retry safe; may be empty.
     *
     * @generated from field: string client_request_id = 5;
     */
    clientRequestId: string;
};
/**
 * Describes the message kinpost.v1.QueuePeerMessageRequest.
 * Use `create(QueuePeerMessageRequestSchema)` to create a new message.
 */
export declare const QueuePeerMessageRequestSchema: GenMessage<QueuePeerMessageRequest>;
/**
 * See PeerService.QueuePeerMessage.
 *
 * @generated from message kinpost.v1.QueuePeerMessageResponse
 */
export type QueuePeerMessageResponse = Message<"kinpost.v1.QueuePeerMessageResponse"> & {
    /**
     * What happened.
     *
     * @generated from field: kinpost.v1.PeerDelivery delivery = 1;
     */
    delivery?: PeerDelivery | undefined;
};
/**
 * Describes the message kinpost.v1.QueuePeerMessageResponse.
 * Use `create(QueuePeerMessageResponseSchema)` to create a new message.
 */
export declare const QueuePeerMessageResponseSchema: GenMessage<QueuePeerMessageResponse>;
/**
 * See PeerService.GetPeerBody.
 *
 * @generated from message kinpost.v1.GetPeerBodyRequest
 */
export type GetPeerBodyRequest = Message<"kinpost.v1.GetPeerBodyRequest"> & {
    /**
     * The stored body.
     *
     * @generated from field: string body_id = 1;
     */
    bodyId: string;
    /**
     * Only its size; not counted as fetched.
     *
     * @generated from field: bool meta_only = 2;
     */
    metaOnly: boolean;
};
/**
 * Describes the message kinpost.v1.GetPeerBodyRequest.
 * Use `create(GetPeerBodyRequestSchema)` to create a new message.
 */
export declare const GetPeerBodyRequestSchema: GenMessage<GetPeerBodyRequest>;
/**
 * See PeerService.GetPeerBody.
 *
 * @generated from message kinpost.v1.GetPeerBodyResponse
 */
export type GetPeerBodyResponse = Message<"kinpost.v1.GetPeerBodyResponse"> & {
    /**
     * The text, unless only its size was asked for.
     *
     * @generated from field: optional string text = 1;
     */
    text?: string | undefined;
    /**
     * Unicode code points of the text.
     *
     * @generated from field: uint32 chars = 2;
     */
    chars: number;
    /**
     * An estimate of its tokens.
     *
     * @generated from field: uint32 tokens = 3;
     */
    tokens: number;
};
/**
 * Describes the message kinpost.v1.GetPeerBodyResponse.
 * Use `create(GetPeerBodyResponseSchema)` to create a new message.
 */
export declare const GetPeerBodyResponseSchema: GenMessage<GetPeerBodyResponse>;
/**
 * See PeerService.ListPeerMessagesSent.
 *
 * @generated from message kinpost.v1.ListPeerMessagesSentRequest
 */
export type ListPeerMessagesSentRequest = Message<"kinpost.v1.ListPeerMessagesSentRequest"> & {
    /**
     * The sender.
     *
     * @generated from field: string session_id = 1;
     */
    sessionId: string;
    /**
     * At most 50, and more means 50; 0 and less mean 10.
     *
     * @generated from field: int32 limit = 2;
     */
    limit: number;
};
/**
 * Describes the message kinpost.v1.ListPeerMessagesSentRequest.
 * Use `create(ListPeerMessagesSentRequestSchema)` to create a new message.
 */
export declare const ListPeerMessagesSentRequestSchema: GenMessage<ListPeerMessagesSentRequest>;
/**
 * See PeerService.ListPeerMessagesSent.
 *
 * @generated from message kinpost.v1.ListPeerMessagesSentResponse
 */
export type ListPeerMessagesSentResponse = Message<"kinpost.v1.ListPeerMessagesSentResponse"> & {
    /**
     * Newest first.
     *
     * @generated from field: repeated kinpost.v1.PeerMessageSummary messages = 1;
     */
    messages: PeerMessageSummary[];
    /**
     * What kind of message is kept here at all.
     *
     * @generated from field: string retained_scope = 2;
     */
    retainedScope: string;
    /**
     * The oldest body that the store holds.
     *
     * @generated from field: optional google.protobuf.Timestamp store_holds_since = 3;
     */
    storeHoldsSince?: Timestamp | undefined;
};
/**
 * Describes the message kinpost.v1.ListPeerMessagesSentResponse.
 * Use `create(ListPeerMessagesSentResponseSchema)` to create a new message.
 */
export declare const ListPeerMessagesSentResponseSchema: GenMessage<ListPeerMessagesSentResponse>;
/**
 * See PeerService.ListDeadLetters.
 *
 * @generated from message kinpost.v1.ListDeadLettersRequest
 */
export type ListDeadLettersRequest = Message<"kinpost.v1.ListDeadLettersRequest"> & {
    /**
     * 1 to 1000; 0 means 100.
     *
     * @generated from field: uint32 page_size = 1;
     */
    pageSize: number;
    /**
     * From the last answer.
     *
     * @generated from field: string page_token = 2;
     */
    pageToken: string;
};
/**
 * Describes the message kinpost.v1.ListDeadLettersRequest.
 * Use `create(ListDeadLettersRequestSchema)` to create a new message.
 */
export declare const ListDeadLettersRequestSchema: GenMessage<ListDeadLettersRequest>;
/**
 * See PeerService.ListDeadLetters.
 *
 * @generated from message kinpost.v1.ListDeadLettersResponse
 */
export type ListDeadLettersResponse = Message<"kinpost.v1.ListDeadLettersResponse"> & {
    /**
     * Newest first.
     *
     * @generated from field: repeated kinpost.v1.DeadLetter dead_letters = 1;
     */
    deadLetters: DeadLetter[];
    /**
     * Empty at the end.
     *
     * @generated from field: string next_page_token = 2;
     */
    nextPageToken: string;
};
/**
 * Describes the message kinpost.v1.ListDeadLettersResponse.
 * Use `create(ListDeadLettersResponseSchema)` to create a new message.
 */
export declare const ListDeadLettersResponseSchema: GenMessage<ListDeadLettersResponse>;
/**
 * See PeerService.RedeliverDeadLetter.
 *
 * @generated from message kinpost.v1.RedeliverDeadLetterRequest
 */
export type RedeliverDeadLetterRequest = Message<"kinpost.v1.RedeliverDeadLetterRequest"> & {
    /**
     * The dead letter.
     *
     * @generated from field: string dead_letter_id = 1;
     */
    deadLetterId: string;
    /**
     * Makes a retry safe; may be empty.
     *
     * @generated from field: string client_request_id = 2;
     */
    clientRequestId: string;
};
/**
 * Describes the message kinpost.v1.RedeliverDeadLetterRequest.
 * Use `create(RedeliverDeadLetterRequestSchema)` to create a new message.
 */
export declare const RedeliverDeadLetterRequestSchema: GenMessage<RedeliverDeadLetterRequest>;
/**
 * See PeerService.RedeliverDeadLetter.
 *
 * @generated from message kinpost.v1.RedeliverDeadLetterResponse
 */
export type RedeliverDeadLetterResponse = Message<"kinpost.v1.RedeliverDeadLetterResponse"> & {
    /**
     * What happened.
     *
     * @generated from field: kinpost.v1.PeerDelivery delivery = 1;
     */
    delivery?: PeerDelivery | undefined;
};
/**
 * Describes the message kinpost.v1.RedeliverDeadLetterResponse.
 * Use `create(RedeliverDeadLetterResponseSchema)` to create a new message.
 */
export declare const RedeliverDeadLetterResponseSchema: GenMessage<RedeliverDeadLetterResponse>;
/**
 * Any session to any session, on the authority of a bearer token.
 *
 * @generated from service kinpost.v1.PeerService
 */
export declare const PeerService: GenService<{
    /**
     * Delivers a message to a session; a busy one takes it at its turn boundary.
     *
     * Errors: request:invalid; auth:forbidden (the token does not act for the sender); peer:invalid_payload;
     * peer:tldr_required; peer:rate_limited; peer:session_not_found; peer:turn_in_flight;
     * peer:inactive_target_needs_confirmation; peer:duplicate_in_flight; peer:user_closed; peer:wake_failed;
     * peer:send_failed.
     *
     * @generated from rpc kinpost.v1.PeerService.SendPeerMessage
     */
    sendPeerMessage: {
        methodKind: "unary";
        input: typeof SendPeerMessageRequestSchema;
        output: typeof SendPeerMessageResponseSchema;
    };
    /**
     * The same to a list of targets: one result and one rate slot each.
     *
     * Errors: request:invalid; auth:forbidden; peer:invalid_payload; peer:tldr_required; peer:duplicate_in_flight.
     *
     * @generated from rpc kinpost.v1.PeerService.BroadcastPeerMessage
     */
    broadcastPeerMessage: {
        methodKind: "unary";
        input: typeof BroadcastPeerMessageRequestSchema;
        output: typeof BroadcastPeerMessageResponseSchema;
    };
    /**
     * Follows up in a session.
     *
     * Errors: as SendPeerMessage.
     *
     * @generated from rpc kinpost.v1.PeerService.FollowUp
     */
    followUp: {
        methodKind: "unary";
        input: typeof FollowUpRequestSchema;
        output: typeof FollowUpResponseSchema;
    };
    /**
     * Leaves a message durably; no state of the target refuses it.
     *
     * Errors: as SendPeerMessage, but for the target's state.
     *
     * @generated from rpc kinpost.v1.PeerService.QueuePeerMessage
     */
    queuePeerMessage: {
        methodKind: "unary";
        input: typeof QueuePeerMessageRequestSchema;
        output: typeof QueuePeerMessageResponseSchema;
    };
    /**
     * Returns a stored body, or only its size.
     *
     * Errors: request:invalid; message:not_found (also for a text that is no longer kept, and says so).
     *
     * @generated from rpc kinpost.v1.PeerService.GetPeerBody
     */
    getPeerBody: {
        methodKind: "unary";
        input: typeof GetPeerBodyRequestSchema;
        output: typeof GetPeerBodyResponseSchema;
    };
    /**
     * Lists what the session sent by peer routes with a summary, newest first.
     *
     * Errors: request:invalid; peer:not_your_messages.
     *
     * @generated from rpc kinpost.v1.PeerService.ListPeerMessagesSent
     */
    listPeerMessagesSent: {
        methodKind: "unary";
        input: typeof ListPeerMessagesSentRequestSchema;
        output: typeof ListPeerMessagesSentResponseSchema;
    };
    /**
     * Lists what could not be delivered: to people everything, to a peer's or session's token its own.
     *
     * Errors: request:invalid; auth:forbidden.
     *
     * @generated from rpc kinpost.v1.PeerService.ListDeadLetters
     */
    listDeadLetters: {
        methodKind: "unary";
        input: typeof ListDeadLettersRequestSchema;
        output: typeof ListDeadLettersResponseSchema;
    };
    /**
     * Delivers a dead letter again, to a sleeping target too. Safe to repeat.
     *
     * Errors: request:invalid; auth:forbidden; message:not_found; those of SendPeerMessage.
     *
     * @generated from rpc kinpost.v1.PeerService.RedeliverDeadLetter
     */
    redeliverDeadLetter: {
        methodKind: "unary";
        input: typeof RedeliverDeadLetterRequestSchema;
        output: typeof RedeliverDeadLetterResponseSchema;
    };
}>;
