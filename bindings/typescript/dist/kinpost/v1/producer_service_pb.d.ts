import type { GenFile, GenMessage, GenService } from "@bufbuild/protobuf/codegenv2";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { MessageAccepted, MessageMode } from "./message_pb.js";
import type { InterceptDecision, Producer } from "./producer_pb.js";
import type { Message } from "@bufbuild/protobuf";
/**
 * Describes the file kinpost/v1/producer_service.proto.
 */
export declare const file_kinpost_v1_producer_service: GenFile;
/**
 * See ProducerService.RegisterProducer.
 *
 * @generated from message kinpost.v1.RegisterProducerRequest
 */
export type RegisterProducerRequest = Message<"kinpost.v1.RegisterProducerRequest"> & {
    /**
     * The session to send into.
     *
     * @generated from field: string session_id = 1;
     */
    sessionId: string;
    /**
     * The client's own id, 1 to 128 bytes.
     *
     * @generated from field: string client_producer_id = 2;
     */
    clientProducerId: string;
    /**
     * For people, at most 1024 bytes.
     *
     * @generated from field: string description = 3;
     */
    description: string;
};
/**
 * Describes the message kinpost.v1.RegisterProducerRequest.
 * Use `create(RegisterProducerRequestSchema)` to create a new message.
 */
export declare const RegisterProducerRequestSchema: GenMessage<RegisterProducerRequest>;
/**
 * See ProducerService.RegisterProducer.
 *
 * @generated from message kinpost.v1.RegisterProducerResponse
 */
export type RegisterProducerResponse = Message<"kinpost.v1.RegisterProducerResponse"> & {
    /**
     * The registration.
     *
     * @generated from field: kinpost.v1.Producer producer = 1;
     */
    producer?: Producer | undefined;
};
/**
 * Describes the message kinpost.v1.RegisterProducerResponse.
 * Use `create(RegisterProducerResponseSchema)` to create a new message.
 */
export declare const RegisterProducerResponseSchema: GenMessage<RegisterProducerResponse>;
/**
 * See ProducerService.RenewProducers.
 *
 * @generated from message kinpost.v1.RenewProducersRequest
 */
export type RenewProducersRequest = Message<"kinpost.v1.RenewProducersRequest"> & {
    /**
     * The registrations, at most 1000.
     *
     * @generated from field: repeated string producer_ids = 1;
     */
    producerIds: string[];
};
/**
 * Describes the message kinpost.v1.RenewProducersRequest.
 * Use `create(RenewProducersRequestSchema)` to create a new message.
 */
export declare const RenewProducersRequestSchema: GenMessage<RenewProducersRequest>;
/**
 * See ProducerService.RenewProducers.
 *
 * @generated from message kinpost.v1.RenewProducersResponse
 */
export type RenewProducersResponse = Message<"kinpost.v1.RenewProducersResponse"> & {
    /**
     * Those that are renewed; the others must register again.
     *
     * @generated from field: repeated string renewed_producer_ids = 1;
     */
    renewedProducerIds: string[];
    /**
     * Until when.
     *
     * @generated from field: google.protobuf.Timestamp lease_expire_time = 2;
     */
    leaseExpireTime?: Timestamp | undefined;
};
/**
 * Describes the message kinpost.v1.RenewProducersResponse.
 * Use `create(RenewProducersResponseSchema)` to create a new message.
 */
export declare const RenewProducersResponseSchema: GenMessage<RenewProducersResponse>;
/**
 * See ProducerService.SendProducerMessage.
 *
 * @generated from message kinpost.v1.SendProducerMessageRequest
 */
export type SendProducerMessageRequest = Message<"kinpost.v1.SendProducerMessageRequest"> & {
    /**
     * The recipient.
     *
     * @generated from field: string session_id = 1;
     */
    sessionId: string;
    /**
     * The registration.
     *
     * @generated from field: string producer_id = 2;
     */
    producerId: string;
    /**
     * 1 to 256 bytes without control characters.
     *
     * @generated from field: string idempotency_key = 3;
     */
    idempotencyKey: string;
    /**
     * Unspecified means STEER.
     *
     * @generated from field: kinpost.v1.MessageMode mode = 4;
     */
    mode: MessageMode;
    /**
     * For people, at most 1024 bytes.
     *
     * @generated from field: string description = 5;
     */
    description: string;
    /**
     * 1 byte to 256 KiB.
     *
     * @generated from field: string body = 6;
     */
    body: string;
};
/**
 * Describes the message kinpost.v1.SendProducerMessageRequest.
 * Use `create(SendProducerMessageRequestSchema)` to create a new message.
 */
export declare const SendProducerMessageRequestSchema: GenMessage<SendProducerMessageRequest>;
/**
 * See ProducerService.SendProducerMessage.
 *
 * @generated from message kinpost.v1.SendProducerMessageResponse
 */
export type SendProducerMessageResponse = Message<"kinpost.v1.SendProducerMessageResponse"> & {
    /**
     * The message is stored.
     *
     * @generated from field: kinpost.v1.MessageAccepted accepted = 1;
     */
    accepted?: MessageAccepted | undefined;
};
/**
 * Describes the message kinpost.v1.SendProducerMessageResponse.
 * Use `create(SendProducerMessageResponseSchema)` to create a new message.
 */
export declare const SendProducerMessageResponseSchema: GenMessage<SendProducerMessageResponse>;
/**
 * See ProducerService.DiscardProducerMessage.
 *
 * @generated from message kinpost.v1.DiscardProducerMessageRequest
 */
export type DiscardProducerMessageRequest = Message<"kinpost.v1.DiscardProducerMessageRequest"> & {
    /**
     * The recipient.
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
 * Describes the message kinpost.v1.DiscardProducerMessageRequest.
 * Use `create(DiscardProducerMessageRequestSchema)` to create a new message.
 */
export declare const DiscardProducerMessageRequestSchema: GenMessage<DiscardProducerMessageRequest>;
/**
 * See ProducerService.DiscardProducerMessage.
 *
 * @generated from message kinpost.v1.DiscardProducerMessageResponse
 */
export type DiscardProducerMessageResponse = Message<"kinpost.v1.DiscardProducerMessageResponse"> & {};
/**
 * Describes the message kinpost.v1.DiscardProducerMessageResponse.
 * Use `create(DiscardProducerMessageResponseSchema)` to create a new message.
 */
export declare const DiscardProducerMessageResponseSchema: GenMessage<DiscardProducerMessageResponse>;
/**
 * See ProducerService.UnregisterProducer.
 *
 * @generated from message kinpost.v1.UnregisterProducerRequest
 */
export type UnregisterProducerRequest = Message<"kinpost.v1.UnregisterProducerRequest"> & {
    /**
     * The session.
     *
     * @generated from field: string session_id = 1;
     */
    sessionId: string;
    /**
     * The registration.
     *
     * @generated from field: string producer_id = 2;
     */
    producerId: string;
};
/**
 * Describes the message kinpost.v1.UnregisterProducerRequest.
 * Use `create(UnregisterProducerRequestSchema)` to create a new message.
 */
export declare const UnregisterProducerRequestSchema: GenMessage<UnregisterProducerRequest>;
/**
 * See ProducerService.UnregisterProducer.
 *
 * @generated from message kinpost.v1.UnregisterProducerResponse
 */
export type UnregisterProducerResponse = Message<"kinpost.v1.UnregisterProducerResponse"> & {};
/**
 * Describes the message kinpost.v1.UnregisterProducerResponse.
 * Use `create(UnregisterProducerResponseSchema)` to create a new message.
 */
export declare const UnregisterProducerResponseSchema: GenMessage<UnregisterProducerResponse>;
/**
 * See ProducerService.ListProducers.
 *
 * @generated from message kinpost.v1.ListProducersRequest
 */
export type ListProducersRequest = Message<"kinpost.v1.ListProducersRequest"> & {
    /**
     * The session.
     *
     * @generated from field: string session_id = 1;
     */
    sessionId: string;
    /**
     * 1 to 1000; 0 means 100.
     *
     * @generated from field: uint32 page_size = 2;
     */
    pageSize: number;
    /**
     * From the last answer.
     *
     * @generated from field: string page_token = 3;
     */
    pageToken: string;
};
/**
 * Describes the message kinpost.v1.ListProducersRequest.
 * Use `create(ListProducersRequestSchema)` to create a new message.
 */
export declare const ListProducersRequestSchema: GenMessage<ListProducersRequest>;
/**
 * See ProducerService.ListProducers.
 *
 * @generated from message kinpost.v1.ListProducersResponse
 */
export type ListProducersResponse = Message<"kinpost.v1.ListProducersResponse"> & {
    /**
     * In the order of their registration.
     *
     * @generated from field: repeated kinpost.v1.Producer producers = 1;
     */
    producers: Producer[];
    /**
     * Empty at the end.
     *
     * @generated from field: string next_page_token = 2;
     */
    nextPageToken: string;
};
/**
 * Describes the message kinpost.v1.ListProducersResponse.
 * Use `create(ListProducersResponseSchema)` to create a new message.
 */
export declare const ListProducersResponseSchema: GenMessage<ListProducersResponse>;
/**
 * What a plugin sends.
 *
 * @generated from message kinpost.v1.InterceptToolCallsRequest
 */
export type InterceptToolCallsRequest = Message<"kinpost.v1.InterceptToolCallsRequest"> & {
    /**
     * First the filter, then decisions.
     *
     * @generated from oneof kinpost.v1.InterceptToolCallsRequest.message
     */
    message: {
        /**
         * Which calls to see; must come first.
         *
         * @generated from field: kinpost.v1.InterceptFilter filter = 1;
         */
        value: InterceptFilter;
        case: "filter";
    } | {
        /**
         * An answer.
         *
         * @generated from field: kinpost.v1.InterceptVerdict verdict = 2;
         */
        value: InterceptVerdict;
        case: "verdict";
    } | {
        case: undefined;
        value?: undefined;
    };
};
/**
 * Describes the message kinpost.v1.InterceptToolCallsRequest.
 * Use `create(InterceptToolCallsRequestSchema)` to create a new message.
 */
export declare const InterceptToolCallsRequestSchema: GenMessage<InterceptToolCallsRequest>;
/**
 * Which tool calls a plugin wants to see.
 *
 * @generated from message kinpost.v1.InterceptFilter
 */
export type InterceptFilter = Message<"kinpost.v1.InterceptFilter"> & {
    /**
     * The tools by name; empty for all.
     *
     * @generated from field: repeated string tool_names = 1;
     */
    toolNames: string[];
};
/**
 * Describes the message kinpost.v1.InterceptFilter.
 * Use `create(InterceptFilterSchema)` to create a new message.
 */
export declare const InterceptFilterSchema: GenMessage<InterceptFilter>;
/**
 * A plugin's answer about one call.
 *
 * @generated from message kinpost.v1.InterceptVerdict
 */
export type InterceptVerdict = Message<"kinpost.v1.InterceptVerdict"> & {
    /**
     * The call.
     *
     * @generated from field: string intercept_id = 1;
     */
    interceptId: string;
    /**
     * The answer.
     *
     * @generated from field: kinpost.v1.InterceptDecision decision = 2;
     */
    decision: InterceptDecision;
    /**
     * For the model, with BLOCK; at most 1024 bytes.
     *
     * @generated from field: string reason = 3;
     */
    reason: string;
};
/**
 * Describes the message kinpost.v1.InterceptVerdict.
 * Use `create(InterceptVerdictSchema)` to create a new message.
 */
export declare const InterceptVerdictSchema: GenMessage<InterceptVerdict>;
/**
 * A tool call put before a plugin.
 *
 * @generated from message kinpost.v1.InterceptToolCallsResponse
 */
export type InterceptToolCallsResponse = Message<"kinpost.v1.InterceptToolCallsResponse"> & {
    /**
     * Names the call.
     *
     * @generated from field: string intercept_id = 1;
     */
    interceptId: string;
    /**
     * The calling session.
     *
     * @generated from field: string session_id = 2;
     */
    sessionId: string;
    /**
     * Its tree.
     *
     * @generated from field: string root_session_id = 3;
     */
    rootSessionId: string;
    /**
     * Its run.
     *
     * @generated from field: string run_id = 4;
     */
    runId: string;
    /**
     * The tool call.
     *
     * @generated from field: string tool_call_id = 5;
     */
    toolCallId: string;
    /**
     * The tool.
     *
     * @generated from field: string name = 6;
     */
    name: string;
    /**
     * The model's arguments.
     *
     * @generated from field: string arguments_json = 7;
     */
    argumentsJson: string;
    /**
     * When the plugin's time is over.
     *
     * @generated from field: google.protobuf.Timestamp expire_time = 8;
     */
    expireTime?: Timestamp | undefined;
};
/**
 * Describes the message kinpost.v1.InterceptToolCallsResponse.
 * Use `create(InterceptToolCallsResponseSchema)` to create a new message.
 */
export declare const InterceptToolCallsResponseSchema: GenMessage<InterceptToolCallsResponse>;
/**
 * Producers that put messages into sessions, and plugins that gate tool calls.
 *
 * @generated from service kinpost.v1.ProducerService
 */
export declare const ProducerService: GenService<{
    /**
     * Registers the caller, a plugin, to send into a session, for as long as it renews. While it lasts, the same client's
     * id returns the registration as it was made.
     *
     * Errors: request:invalid; auth:forbidden (no plugin); session:not_found; producer:too_many.
     *
     * @generated from rpc kinpost.v1.ProducerService.RegisterProducer
     */
    registerProducer: {
        methodKind: "unary";
        input: typeof RegisterProducerRequestSchema;
        output: typeof RegisterProducerResponseSchema;
    };
    /**
     * Renews registrations. A send renews its own too.
     *
     * Errors: request:invalid; auth:forbidden.
     *
     * @generated from rpc kinpost.v1.ProducerService.RenewProducers
     */
    renewProducers: {
        methodKind: "unary";
        input: typeof RenewProducersRequestSchema;
        output: typeof RenewProducersResponseSchema;
    };
    /**
     * Stores a message of a registered producer. Repeating the key returns the first answer, whatever became of the
     * registration: the key is the plugin's in this session.
     *
     * Errors: request:invalid; auth:forbidden; idempotency:conflict; producer:not_found; producer:inbox_full.
     *
     * @generated from rpc kinpost.v1.ProducerService.SendProducerMessage
     */
    sendProducerMessage: {
        methodKind: "unary";
        input: typeof SendProducerMessageRequestSchema;
        output: typeof SendProducerMessageResponseSchema;
    };
    /**
     * Discards an unclaimed message of the caller. Safe to repeat.
     *
     * Errors: request:invalid; auth:forbidden; message:not_found; message:claimed.
     *
     * @generated from rpc kinpost.v1.ProducerService.DiscardProducerMessage
     */
    discardProducerMessage: {
        methodKind: "unary";
        input: typeof DiscardProducerMessageRequestSchema;
        output: typeof DiscardProducerMessageResponseSchema;
    };
    /**
     * Ends a registration, by its plugin or an admin; what was accepted stays. Safe to repeat.
     *
     * Errors: request:invalid; auth:forbidden; producer:not_found.
     *
     * @generated from rpc kinpost.v1.ProducerService.UnregisterProducer
     */
    unregisterProducer: {
        methodKind: "unary";
        input: typeof UnregisterProducerRequestSchema;
        output: typeof UnregisterProducerResponseSchema;
    };
    /**
     * Lists a session's producers.
     *
     * Errors: request:invalid; session:not_found.
     *
     * @generated from rpc kinpost.v1.ProducerService.ListProducers
     */
    listProducers: {
        methodKind: "unary";
        input: typeof ListProducersRequestSchema;
        output: typeof ListProducersResponseSchema;
    };
    /**
     * Puts each matching tool call before the plugin before it is judged, and takes its decision.
     *
     * Errors: request:invalid; auth:forbidden; server:overloaded.
     *
     * @generated from rpc kinpost.v1.ProducerService.InterceptToolCalls
     */
    interceptToolCalls: {
        methodKind: "bidi_streaming";
        input: typeof InterceptToolCallsRequestSchema;
        output: typeof InterceptToolCallsResponseSchema;
    };
}>;
