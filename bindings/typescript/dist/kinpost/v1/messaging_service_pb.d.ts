import type { GenFile, GenMessage, GenService } from "@bufbuild/protobuf/codegenv2";
import type { Duration } from "@bufbuild/protobuf/wkt";
import type { PendingApproval } from "./approval_pb.js";
import type { MessageAccepted, MessageMode, MessageState, SentMessage } from "./message_pb.js";
import type { Message } from "@bufbuild/protobuf";
/**
 * Describes the file kinpost/v1/messaging_service.proto.
 */
export declare const file_kinpost_v1_messaging_service: GenFile;
/**
 * See MessagingService.SendMessage.
 *
 * @generated from message kinpost.v1.SendMessageRequest
 */
export type SendMessageRequest = Message<"kinpost.v1.SendMessageRequest"> & {
    /**
     * The sending session.
     *
     * @generated from field: string session_id = 1;
     */
    sessionId: string;
    /**
     * Its active run.
     *
     * @generated from field: string run_id = 2;
     */
    runId: string;
    /**
     * The tool call, unique within the run; 1 to 256 bytes.
     *
     * @generated from field: string tool_call_id = 3;
     */
    toolCallId: string;
    /**
     * A session UUID, or a handle of the sender's tree. 1 to 256 bytes.
     *
     * @generated from field: string to = 4;
     */
    to: string;
    /**
     * What to say; limited by `[messaging] max_body_bytes`.
     *
     * @generated from field: string body = 5;
     */
    body: string;
    /**
     * Unspecified means STEER.
     *
     * @generated from field: kinpost.v1.MessageMode mode = 6;
     */
    mode: MessageMode;
    /**
     * Becomes discarded when unconsumed after this long; 1 s to 30 days.
     *
     * @generated from field: optional google.protobuf.Duration expire_after = 7;
     */
    expireAfter?: Duration | undefined;
    /**
     * Discards this earlier message of the same sender to the same recipient.
     *
     * @generated from field: string supersedes_message_id = 8;
     */
    supersedesMessageId: string;
    /**
     * Where a rule asks a person: wait for the answer so long, at most 10 minutes.
     *
     * @generated from field: optional google.protobuf.Duration approval_wait = 9;
     */
    approvalWait?: Duration | undefined;
};
/**
 * Describes the message kinpost.v1.SendMessageRequest.
 * Use `create(SendMessageRequestSchema)` to create a new message.
 */
export declare const SendMessageRequestSchema: GenMessage<SendMessageRequest>;
/**
 * See MessagingService.SendMessage.
 *
 * @generated from message kinpost.v1.SendMessageResponse
 */
export type SendMessageResponse = Message<"kinpost.v1.SendMessageResponse"> & {
    /**
     * What happened.
     *
     * @generated from oneof kinpost.v1.SendMessageResponse.result
     */
    result: {
        /**
         * The message is stored.
         *
         * @generated from field: kinpost.v1.MessageAccepted accepted = 1;
         */
        value: MessageAccepted;
        case: "accepted";
    } | {
        /**
         * A person is asked first.
         *
         * @generated from field: kinpost.v1.PendingApproval pending_approval = 2;
         */
        value: PendingApproval;
        case: "pendingApproval";
    } | {
        case: undefined;
        value?: undefined;
    };
};
/**
 * Describes the message kinpost.v1.SendMessageResponse.
 * Use `create(SendMessageResponseSchema)` to create a new message.
 */
export declare const SendMessageResponseSchema: GenMessage<SendMessageResponse>;
/**
 * One send of a batch.
 *
 * @generated from message kinpost.v1.BatchSend
 */
export type BatchSend = Message<"kinpost.v1.BatchSend"> & {
    /**
     * The tool call, unique within the run; 1 to 256 bytes.
     *
     * @generated from field: string tool_call_id = 1;
     */
    toolCallId: string;
    /**
     * A session UUID, or a handle of the sender's tree.
     *
     * @generated from field: string to = 2;
     */
    to: string;
    /**
     * What to say.
     *
     * @generated from field: string body = 3;
     */
    body: string;
    /**
     * Unspecified means STEER.
     *
     * @generated from field: kinpost.v1.MessageMode mode = 4;
     */
    mode: MessageMode;
    /**
     * Becomes discarded when unconsumed after this long; 1 s to 30 days.
     *
     * @generated from field: optional google.protobuf.Duration expire_after = 5;
     */
    expireAfter?: Duration | undefined;
    /**
     * Discards this earlier message of the same sender to the same recipient.
     *
     * @generated from field: string supersedes_message_id = 6;
     */
    supersedesMessageId: string;
};
/**
 * Describes the message kinpost.v1.BatchSend.
 * Use `create(BatchSendSchema)` to create a new message.
 */
export declare const BatchSendSchema: GenMessage<BatchSend>;
/**
 * See MessagingService.BatchSendMessages.
 *
 * @generated from message kinpost.v1.BatchSendMessagesRequest
 */
export type BatchSendMessagesRequest = Message<"kinpost.v1.BatchSendMessagesRequest"> & {
    /**
     * The sending session.
     *
     * @generated from field: string session_id = 1;
     */
    sessionId: string;
    /**
     * Its active run.
     *
     * @generated from field: string run_id = 2;
     */
    runId: string;
    /**
     * 1 to 1000.
     *
     * @generated from field: repeated kinpost.v1.BatchSend sends = 3;
     */
    sends: BatchSend[];
};
/**
 * Describes the message kinpost.v1.BatchSendMessagesRequest.
 * Use `create(BatchSendMessagesRequestSchema)` to create a new message.
 */
export declare const BatchSendMessagesRequestSchema: GenMessage<BatchSendMessagesRequest>;
/**
 * Why one send of a batch was refused.
 *
 * @generated from message kinpost.v1.SendError
 */
export type SendError = Message<"kinpost.v1.SendError"> & {
    /**
     * The stable code, as `send_message:inbox_full`.
     *
     * @generated from field: string code = 1;
     */
    code: string;
    /**
     * For people and models.
     *
     * @generated from field: string message = 2;
     */
    message: string;
    /**
     * When repeating may help.
     *
     * @generated from field: optional google.protobuf.Duration retry_delay = 3;
     */
    retryDelay?: Duration | undefined;
};
/**
 * Describes the message kinpost.v1.SendError.
 * Use `create(SendErrorSchema)` to create a new message.
 */
export declare const SendErrorSchema: GenMessage<SendError>;
/**
 * The answer to one send of a batch.
 *
 * @generated from message kinpost.v1.BatchSendResult
 */
export type BatchSendResult = Message<"kinpost.v1.BatchSendResult"> & {
    /**
     * What happened.
     *
     * @generated from oneof kinpost.v1.BatchSendResult.result
     */
    result: {
        /**
         * The message is stored.
         *
         * @generated from field: kinpost.v1.MessageAccepted accepted = 1;
         */
        value: MessageAccepted;
        case: "accepted";
    } | {
        /**
         * A person is asked first.
         *
         * @generated from field: kinpost.v1.PendingApproval pending_approval = 2;
         */
        value: PendingApproval;
        case: "pendingApproval";
    } | {
        /**
         * It was refused.
         *
         * @generated from field: kinpost.v1.SendError error = 3;
         */
        value: SendError;
        case: "error";
    } | {
        case: undefined;
        value?: undefined;
    };
};
/**
 * Describes the message kinpost.v1.BatchSendResult.
 * Use `create(BatchSendResultSchema)` to create a new message.
 */
export declare const BatchSendResultSchema: GenMessage<BatchSendResult>;
/**
 * See MessagingService.BatchSendMessages.
 *
 * @generated from message kinpost.v1.BatchSendMessagesResponse
 */
export type BatchSendMessagesResponse = Message<"kinpost.v1.BatchSendMessagesResponse"> & {
    /**
     * In the order of the request.
     *
     * @generated from field: repeated kinpost.v1.BatchSendResult results = 1;
     */
    results: BatchSendResult[];
};
/**
 * Describes the message kinpost.v1.BatchSendMessagesResponse.
 * Use `create(BatchSendMessagesResponseSchema)` to create a new message.
 */
export declare const BatchSendMessagesResponseSchema: GenMessage<BatchSendMessagesResponse>;
/**
 * See MessagingService.SendUserMessage.
 *
 * @generated from message kinpost.v1.SendUserMessageRequest
 */
export type SendUserMessageRequest = Message<"kinpost.v1.SendUserMessageRequest"> & {
    /**
     * The recipient.
     *
     * @generated from field: string session_id = 1;
     */
    sessionId: string;
    /**
     * The client's id for the message, 1 to 256 bytes: repeating it returns the first answer.
     *
     * @generated from field: string client_message_id = 2;
     */
    clientMessageId: string;
    /**
     * What to say, 1 byte to 256 KiB.
     *
     * @generated from field: string body = 3;
     */
    body: string;
    /**
     * Unspecified means STEER.
     *
     * @generated from field: kinpost.v1.MessageMode mode = 4;
     */
    mode: MessageMode;
};
/**
 * Describes the message kinpost.v1.SendUserMessageRequest.
 * Use `create(SendUserMessageRequestSchema)` to create a new message.
 */
export declare const SendUserMessageRequestSchema: GenMessage<SendUserMessageRequest>;
/**
 * See MessagingService.SendUserMessage.
 *
 * @generated from message kinpost.v1.SendUserMessageResponse
 */
export type SendUserMessageResponse = Message<"kinpost.v1.SendUserMessageResponse"> & {
    /**
     * The message is stored.
     *
     * @generated from field: kinpost.v1.MessageAccepted accepted = 1;
     */
    accepted?: MessageAccepted | undefined;
};
/**
 * Describes the message kinpost.v1.SendUserMessageResponse.
 * Use `create(SendUserMessageResponseSchema)` to create a new message.
 */
export declare const SendUserMessageResponseSchema: GenMessage<SendUserMessageResponse>;
/**
 * See MessagingService.RetractMessage.
 *
 * @generated from message kinpost.v1.RetractMessageRequest
 */
export type RetractMessageRequest = Message<"kinpost.v1.RetractMessageRequest"> & {
    /**
     * The session that sent it.
     *
     * @generated from field: string session_id = 1;
     */
    sessionId: string;
    /**
     * The message.
     *
     * @generated from field: string message_id = 2;
     */
    messageId: string;
};
/**
 * Describes the message kinpost.v1.RetractMessageRequest.
 * Use `create(RetractMessageRequestSchema)` to create a new message.
 */
export declare const RetractMessageRequestSchema: GenMessage<RetractMessageRequest>;
/**
 * See MessagingService.RetractMessage.
 *
 * @generated from message kinpost.v1.RetractMessageResponse
 */
export type RetractMessageResponse = Message<"kinpost.v1.RetractMessageResponse"> & {
    /**
     * As it stands now.
     *
     * @generated from field: kinpost.v1.SentMessage sent_message = 1;
     */
    sentMessage?: SentMessage | undefined;
};
/**
 * Describes the message kinpost.v1.RetractMessageResponse.
 * Use `create(RetractMessageResponseSchema)` to create a new message.
 */
export declare const RetractMessageResponseSchema: GenMessage<RetractMessageResponse>;
/**
 * See MessagingService.GetSentMessage.
 *
 * @generated from message kinpost.v1.GetSentMessageRequest
 */
export type GetSentMessageRequest = Message<"kinpost.v1.GetSentMessageRequest"> & {
    /**
     * The session that sent it.
     *
     * @generated from field: string session_id = 1;
     */
    sessionId: string;
    /**
     * The message.
     *
     * @generated from field: string message_id = 2;
     */
    messageId: string;
};
/**
 * Describes the message kinpost.v1.GetSentMessageRequest.
 * Use `create(GetSentMessageRequestSchema)` to create a new message.
 */
export declare const GetSentMessageRequestSchema: GenMessage<GetSentMessageRequest>;
/**
 * See MessagingService.GetSentMessage.
 *
 * @generated from message kinpost.v1.GetSentMessageResponse
 */
export type GetSentMessageResponse = Message<"kinpost.v1.GetSentMessageResponse"> & {
    /**
     * As it stands now.
     *
     * @generated from field: kinpost.v1.SentMessage sent_message = 1;
     */
    sentMessage?: SentMessage | undefined;
};
/**
 * Describes the message kinpost.v1.GetSentMessageResponse.
 * Use `create(GetSentMessageResponseSchema)` to create a new message.
 */
export declare const GetSentMessageResponseSchema: GenMessage<GetSentMessageResponse>;
/**
 * See MessagingService.ListSentMessages.
 *
 * @generated from message kinpost.v1.ListSentMessagesRequest
 */
export type ListSentMessagesRequest = Message<"kinpost.v1.ListSentMessagesRequest"> & {
    /**
     * The session that sent them.
     *
     * @generated from field: string session_id = 1;
     */
    sessionId: string;
    /**
     * Only these states; empty for all.
     *
     * @generated from field: repeated kinpost.v1.MessageState states = 2;
     */
    states: MessageState[];
    /**
     * 1 to 1000; 0 means 100.
     *
     * @generated from field: uint32 page_size = 3;
     */
    pageSize: number;
    /**
     * From the last answer.
     *
     * @generated from field: string page_token = 4;
     */
    pageToken: string;
};
/**
 * Describes the message kinpost.v1.ListSentMessagesRequest.
 * Use `create(ListSentMessagesRequestSchema)` to create a new message.
 */
export declare const ListSentMessagesRequestSchema: GenMessage<ListSentMessagesRequest>;
/**
 * See MessagingService.ListSentMessages.
 *
 * @generated from message kinpost.v1.ListSentMessagesResponse
 */
export type ListSentMessagesResponse = Message<"kinpost.v1.ListSentMessagesResponse"> & {
    /**
     * Newest first.
     *
     * @generated from field: repeated kinpost.v1.SentMessage sent_messages = 1;
     */
    sentMessages: SentMessage[];
    /**
     * Empty at the end.
     *
     * @generated from field: string next_page_token = 2;
     */
    nextPageToken: string;
};
/**
 * Describes the message kinpost.v1.ListSentMessagesResponse.
 * Use `create(ListSentMessagesResponseSchema)` to create a new message.
 */
export declare const ListSentMessagesResponseSchema: GenMessage<ListSentMessagesResponse>;
/**
 * Tree mail between agents, and people's mail to a session.
 *
 * @generated from service kinpost.v1.MessagingService
 */
export declare const MessagingService: GenService<{
    /**
     * Stores a message of the sending run in the recipient's log and wakes whoever sleeps. Repeating the call with the
     * same (session, run, tool call) returns the first answer. Where a rule asks a person, the call waits for the answer
     * up to `approval_wait`, which keeps the run's lease, then returns `pending_approval`; a repeat joins the same
     * approval. What a person allows is stored in the step of the decision, whether anybody waits or not; if a guard
     * refused it then, repeat the call while the run lasts.
     *
     * Errors, in the order of the checks: request:invalid; idempotency:conflict; send_message:disabled;
     * send_message:invalid_body; run:not_active, run:lease_lost, run:cancelled; unknown subagent reference;
     * send_message:unknown_session; send_message:self_send; send_message:not_tree_peer; permission:denied;
     * approval:too_many; send_message:inbox_full; send_message:inflight_full; send_message:max_hops_exceeded.
     * Of a call that a person was asked about, as a replay: approval:denied, approval:expired, approval:cancelled.
     * At any time: send_message:engine_shutdown; server:overloaded; storage:unavailable.
     *
     * @generated from rpc kinpost.v1.MessagingService.SendMessage
     */
    sendMessage: {
        methodKind: "unary";
        input: typeof SendMessageRequestSchema;
        output: typeof SendMessageResponseSchema;
    };
    /**
     * Many sends of one run, each judged and answered on its own, in order.
     *
     * Errors: those of the whole call: request:invalid; session:not_found; server:overloaded; storage:unavailable.
     *
     * @generated from rpc kinpost.v1.MessagingService.BatchSendMessages
     */
    batchSendMessages: {
        methodKind: "unary";
        input: typeof BatchSendMessagesRequestSchema;
        output: typeof BatchSendMessagesResponseSchema;
    };
    /**
     * Stores a person's message in a session's log and wakes it. User mail passes no message rule.
     *
     * Errors: request:invalid; session:not_found; idempotency:conflict; producer:inbox_full; auth:forbidden.
     *
     * @generated from rpc kinpost.v1.MessagingService.SendUserMessage
     */
    sendUserMessage: {
        methodKind: "unary";
        input: typeof SendUserMessageRequestSchema;
        output: typeof SendUserMessageResponseSchema;
    };
    /**
     * Takes back a message of the caller that is not claimed. Safe to repeat.
     *
     * Errors: request:invalid; message:not_found; message:claimed.
     *
     * @generated from rpc kinpost.v1.MessagingService.RetractMessage
     */
    retractMessage: {
        methodKind: "unary";
        input: typeof RetractMessageRequestSchema;
        output: typeof RetractMessageResponseSchema;
    };
    /**
     * Tells where a message of the caller stands.
     *
     * Errors: request:invalid; message:not_found.
     *
     * @generated from rpc kinpost.v1.MessagingService.GetSentMessage
     */
    getSentMessage: {
        methodKind: "unary";
        input: typeof GetSentMessageRequestSchema;
        output: typeof GetSentMessageResponseSchema;
    };
    /**
     * Lists what the session sent, newest first.
     *
     * Errors: request:invalid; session:not_found.
     *
     * @generated from rpc kinpost.v1.MessagingService.ListSentMessages
     */
    listSentMessages: {
        methodKind: "unary";
        input: typeof ListSentMessagesRequestSchema;
        output: typeof ListSentMessagesResponseSchema;
    };
}>;
