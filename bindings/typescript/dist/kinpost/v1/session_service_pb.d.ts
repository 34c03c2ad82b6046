import type { GenFile, GenMessage, GenService } from "@bufbuild/protobuf/codegenv2";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { Availability, MessageRules, Session, SessionState, Starter } from "./session_pb.js";
import type { Message } from "@bufbuild/protobuf";
/**
 * Describes the file kinpost/v1/session_service.proto.
 */
export declare const file_kinpost_v1_session_service: GenFile;
/**
 * See SessionService.CreateSession.
 *
 * @generated from message kinpost.v1.CreateSessionRequest
 */
export type CreateSessionRequest = Message<"kinpost.v1.CreateSessionRequest"> & {
    /**
     * The client's own UUID, so that a retry is safe; made by the service when empty.
     *
     * @generated from field: string session_id = 1;
     */
    sessionId: string;
    /**
     * The delegating session; empty for a root.
     *
     * @generated from field: string parent_session_id = 2;
     */
    parentSessionId: string;
    /**
     * The delegating run; may be empty.
     *
     * @generated from field: string parent_run_id = 3;
     */
    parentRunId: string;
    /**
     * The delegating tool call, at most 256 bytes. Named together with the delegating run, the delegation is in the
     * background: the end of the session's first run is reported to the parent as mail of owner delegation. Empty when
     * the parent waits for the child within its call, whose result it then is.
     *
     * @generated from field: string parent_tool_call_id = 4;
     */
    parentToolCallId: string;
    /**
     * The agent's name, 1 to 64 characters.
     *
     * @generated from field: string agent = 5;
     */
    agent: string;
    /**
     * Where the message rules come from; with neither, a built-in agent's, which are none.
     *
     * @generated from oneof kinpost.v1.CreateSessionRequest.rules
     */
    rules: {
        /**
         * Markdown with YAML front matter: `permissions: {message: {child: allow}}`. At most 256 KiB.
         *
         * @generated from field: string agent_document = 6;
         */
        value: string;
        case: "agentDocument";
    } | {
        /**
         * The rules as fields.
         *
         * @generated from field: kinpost.v1.MessageRules message_rules = 7;
         */
        value: MessageRules;
        case: "messageRules";
    } | {
        case: undefined;
        value?: undefined;
    };
    /**
     * What the session is for, at most 1024 bytes.
     *
     * @generated from field: string description = 8;
     */
    description: string;
    /**
     * Makes a session without a handle.
     *
     * @generated from field: bool without_handle = 9;
     */
    withoutHandle: boolean;
    /**
     * Who starts its first run; a root and an unspecified one begin as IDLE, a child unspecified as QUEUED.
     *
     * @generated from field: kinpost.v1.Starter starter = 10;
     */
    starter: Starter;
    /**
     * Mail for its first run, of owner delegation (a child's) or user (a root's). At most 256 KiB.
     *
     * @generated from field: optional string first_message = 11;
     */
    firstMessage?: string | undefined;
    /**
     * Brings a session of another system with its state.
     *
     * @generated from field: optional kinpost.v1.ImportedSession imported = 12;
     */
    imported?: ImportedSession | undefined;
};
/**
 * Describes the message kinpost.v1.CreateSessionRequest.
 * Use `create(CreateSessionRequestSchema)` to create a new message.
 */
export declare const CreateSessionRequestSchema: GenMessage<CreateSessionRequest>;
/**
 * What an imported session brings along.
 *
 * @generated from message kinpost.v1.ImportedSession
 */
export type ImportedSession = Message<"kinpost.v1.ImportedSession"> & {
    /**
     * IDLE or an outcome.
     *
     * @generated from field: kinpost.v1.SessionState state = 1;
     */
    state: SessionState;
    /**
     * Its handle there; empty for none.
     *
     * @generated from field: string handle = 2;
     */
    handle: string;
    /**
     * When it was made there.
     *
     * @generated from field: optional google.protobuf.Timestamp create_time = 3;
     */
    createTime?: Timestamp | undefined;
};
/**
 * Describes the message kinpost.v1.ImportedSession.
 * Use `create(ImportedSessionSchema)` to create a new message.
 */
export declare const ImportedSessionSchema: GenMessage<ImportedSession>;
/**
 * See SessionService.CreateSession.
 *
 * @generated from message kinpost.v1.CreateSessionResponse
 */
export type CreateSessionResponse = Message<"kinpost.v1.CreateSessionResponse"> & {
    /**
     * The session.
     *
     * @generated from field: kinpost.v1.Session session = 1;
     */
    session?: Session | undefined;
};
/**
 * Describes the message kinpost.v1.CreateSessionResponse.
 * Use `create(CreateSessionResponseSchema)` to create a new message.
 */
export declare const CreateSessionResponseSchema: GenMessage<CreateSessionResponse>;
/**
 * See SessionService.GetSession.
 *
 * @generated from message kinpost.v1.GetSessionRequest
 */
export type GetSessionRequest = Message<"kinpost.v1.GetSessionRequest"> & {
    /**
     * The session.
     *
     * @generated from field: string session_id = 1;
     */
    sessionId: string;
};
/**
 * Describes the message kinpost.v1.GetSessionRequest.
 * Use `create(GetSessionRequestSchema)` to create a new message.
 */
export declare const GetSessionRequestSchema: GenMessage<GetSessionRequest>;
/**
 * See SessionService.GetSession.
 *
 * @generated from message kinpost.v1.GetSessionResponse
 */
export type GetSessionResponse = Message<"kinpost.v1.GetSessionResponse"> & {
    /**
     * The session.
     *
     * @generated from field: kinpost.v1.Session session = 1;
     */
    session?: Session | undefined;
};
/**
 * Describes the message kinpost.v1.GetSessionResponse.
 * Use `create(GetSessionResponseSchema)` to create a new message.
 */
export declare const GetSessionResponseSchema: GenMessage<GetSessionResponse>;
/**
 * See SessionService.ListSessions.
 *
 * @generated from message kinpost.v1.ListSessionsRequest
 */
export type ListSessionsRequest = Message<"kinpost.v1.ListSessionsRequest"> & {
    /**
     * The tree; empty for all trees (admin and observer).
     *
     * @generated from field: string root_session_id = 1;
     */
    rootSessionId: string;
    /**
     * Only these states; empty for all.
     *
     * @generated from field: repeated kinpost.v1.SessionState states = 2;
     */
    states: SessionState[];
    /**
     * Only these availabilities; empty for all.
     *
     * @generated from field: repeated kinpost.v1.Availability availabilities = 3;
     */
    availabilities: Availability[];
    /**
     * 1 to 1000; 0 means 100.
     *
     * @generated from field: uint32 page_size = 4;
     */
    pageSize: number;
    /**
     * From the last answer.
     *
     * @generated from field: string page_token = 5;
     */
    pageToken: string;
};
/**
 * Describes the message kinpost.v1.ListSessionsRequest.
 * Use `create(ListSessionsRequestSchema)` to create a new message.
 */
export declare const ListSessionsRequestSchema: GenMessage<ListSessionsRequest>;
/**
 * See SessionService.ListSessions.
 *
 * @generated from message kinpost.v1.ListSessionsResponse
 */
export type ListSessionsResponse = Message<"kinpost.v1.ListSessionsResponse"> & {
    /**
     * In the order of their making.
     *
     * @generated from field: repeated kinpost.v1.Session sessions = 1;
     */
    sessions: Session[];
    /**
     * Empty at the end.
     *
     * @generated from field: string next_page_token = 2;
     */
    nextPageToken: string;
};
/**
 * Describes the message kinpost.v1.ListSessionsResponse.
 * Use `create(ListSessionsResponseSchema)` to create a new message.
 */
export declare const ListSessionsResponseSchema: GenMessage<ListSessionsResponse>;
/**
 * See SessionService.SetAvailability.
 *
 * @generated from message kinpost.v1.SetAvailabilityRequest
 */
export type SetAvailabilityRequest = Message<"kinpost.v1.SetAvailabilityRequest"> & {
    /**
     * The session.
     *
     * @generated from field: string session_id = 1;
     */
    sessionId: string;
    /**
     * What it shall be.
     *
     * @generated from field: kinpost.v1.Availability availability = 2;
     */
    availability: Availability;
    /**
     * When a pause ends by itself; only with PAUSED.
     *
     * @generated from field: optional google.protobuf.Timestamp until_time = 3;
     */
    untilTime?: Timestamp | undefined;
    /**
     * For people, at most 1024 bytes.
     *
     * @generated from field: string reason = 4;
     */
    reason: string;
    /**
     * Holds mail; only with ARCHIVED.
     *
     * @generated from field: bool no_wake = 5;
     */
    noWake: boolean;
};
/**
 * Describes the message kinpost.v1.SetAvailabilityRequest.
 * Use `create(SetAvailabilityRequestSchema)` to create a new message.
 */
export declare const SetAvailabilityRequestSchema: GenMessage<SetAvailabilityRequest>;
/**
 * See SessionService.SetAvailability.
 *
 * @generated from message kinpost.v1.SetAvailabilityResponse
 */
export type SetAvailabilityResponse = Message<"kinpost.v1.SetAvailabilityResponse"> & {
    /**
     * The session as it is now.
     *
     * @generated from field: kinpost.v1.Session session = 1;
     */
    session?: Session | undefined;
};
/**
 * Describes the message kinpost.v1.SetAvailabilityResponse.
 * Use `create(SetAvailabilityResponseSchema)` to create a new message.
 */
export declare const SetAvailabilityResponseSchema: GenMessage<SetAvailabilityResponse>;
/**
 * See SessionService.RevertSession.
 *
 * @generated from message kinpost.v1.RevertSessionRequest
 */
export type RevertSessionRequest = Message<"kinpost.v1.RevertSessionRequest"> & {
    /**
     * The session.
     *
     * @generated from field: string session_id = 1;
     */
    sessionId: string;
    /**
     * The last event that shall still count, 1 or more.
     *
     * @generated from field: int64 to_seq = 2;
     */
    toSeq: bigint;
    /**
     * The newest event that the caller knows, `to_seq` or more; makes the call safe to repeat.
     *
     * @generated from field: int64 expected_last_seq = 3;
     */
    expectedLastSeq: bigint;
    /**
     * Pauses the session in the same step, so that restored mail does not wake it.
     *
     * @generated from field: bool pause = 4;
     */
    pause: boolean;
};
/**
 * Describes the message kinpost.v1.RevertSessionRequest.
 * Use `create(RevertSessionRequestSchema)` to create a new message.
 */
export declare const RevertSessionRequestSchema: GenMessage<RevertSessionRequest>;
/**
 * See SessionService.RevertSession.
 *
 * @generated from message kinpost.v1.RevertSessionResponse
 */
export type RevertSessionResponse = Message<"kinpost.v1.RevertSessionResponse"> & {
    /**
     * The session as it is now.
     *
     * @generated from field: kinpost.v1.Session session = 1;
     */
    session?: Session | undefined;
};
/**
 * Describes the message kinpost.v1.RevertSessionResponse.
 * Use `create(RevertSessionResponseSchema)` to create a new message.
 */
export declare const RevertSessionResponseSchema: GenMessage<RevertSessionResponse>;
/**
 * See SessionService.ForkSession.
 *
 * @generated from message kinpost.v1.ForkSessionRequest
 */
export type ForkSessionRequest = Message<"kinpost.v1.ForkSessionRequest"> & {
    /**
     * The original.
     *
     * @generated from field: string session_id = 1;
     */
    sessionId: string;
    /**
     * The point in its log.
     *
     * @generated from field: int64 at_seq = 2;
     */
    atSeq: bigint;
    /**
     * The client's own UUID for the fork.
     *
     * @generated from field: string new_session_id = 3;
     */
    newSessionId: string;
};
/**
 * Describes the message kinpost.v1.ForkSessionRequest.
 * Use `create(ForkSessionRequestSchema)` to create a new message.
 */
export declare const ForkSessionRequestSchema: GenMessage<ForkSessionRequest>;
/**
 * See SessionService.ForkSession.
 *
 * @generated from message kinpost.v1.ForkSessionResponse
 */
export type ForkSessionResponse = Message<"kinpost.v1.ForkSessionResponse"> & {
    /**
     * The fork.
     *
     * @generated from field: kinpost.v1.Session session = 1;
     */
    session?: Session | undefined;
};
/**
 * Describes the message kinpost.v1.ForkSessionResponse.
 * Use `create(ForkSessionResponseSchema)` to create a new message.
 */
export declare const ForkSessionResponseSchema: GenMessage<ForkSessionResponse>;
/**
 * See SessionService.DeleteSession.
 *
 * @generated from message kinpost.v1.DeleteSessionRequest
 */
export type DeleteSessionRequest = Message<"kinpost.v1.DeleteSessionRequest"> & {
    /**
     * The session.
     *
     * @generated from field: string session_id = 1;
     */
    sessionId: string;
    /**
     * For people, at most 1024 bytes.
     *
     * @generated from field: string reason = 2;
     */
    reason: string;
};
/**
 * Describes the message kinpost.v1.DeleteSessionRequest.
 * Use `create(DeleteSessionRequestSchema)` to create a new message.
 */
export declare const DeleteSessionRequestSchema: GenMessage<DeleteSessionRequest>;
/**
 * See SessionService.DeleteSession.
 *
 * @generated from message kinpost.v1.DeleteSessionResponse
 */
export type DeleteSessionResponse = Message<"kinpost.v1.DeleteSessionResponse"> & {};
/**
 * Describes the message kinpost.v1.DeleteSessionResponse.
 * Use `create(DeleteSessionResponseSchema)` to create a new message.
 */
export declare const DeleteSessionResponseSchema: GenMessage<DeleteSessionResponse>;
/**
 * Sessions and trees.
 *
 * @generated from service kinpost.v1.SessionService
 */
export declare const SessionService: GenService<{
    /**
     * Makes a session: a root, or a child of `parent_session_id` in the parent's tree. The caller's runtime hosts it.
     * The same `session_id` with the same content returns the session as it is now.
     *
     * Errors: request:invalid; session:exists (the id is taken by other content); session:too_many (the token hosts as
     * many as it may); session:not_found (no such parent, or not the caller's); run:not_active, run:lease_lost,
     * run:cancelled (the delegating run); auth:forbidden.
     *
     * @generated from rpc kinpost.v1.SessionService.CreateSession
     */
    createSession: {
        methodKind: "unary";
        input: typeof CreateSessionRequestSchema;
        output: typeof CreateSessionResponseSchema;
    };
    /**
     * Returns a session.
     *
     * Errors: request:invalid; session:not_found (not there, or not the caller's).
     *
     * @generated from rpc kinpost.v1.SessionService.GetSession
     */
    getSession: {
        methodKind: "unary";
        input: typeof GetSessionRequestSchema;
        output: typeof GetSessionResponseSchema;
    };
    /**
     * Returns the sessions of a tree, in the order of their making. For people and observers: no session-scoped caller
     * lists a tree.
     *
     * Errors: request:invalid; session:not_found; auth:forbidden.
     *
     * @generated from rpc kinpost.v1.SessionService.ListSessions
     */
    listSessions: {
        methodKind: "unary";
        input: typeof ListSessionsRequestSchema;
        output: typeof ListSessionsResponseSchema;
    };
    /**
     * Sets whether a session may be woken. What a person set, only a person undoes.
     *
     * Errors: request:invalid; session:not_found; auth:forbidden.
     *
     * @generated from rpc kinpost.v1.SessionService.SetAvailability
     */
    setAvailability: {
        methodKind: "unary";
        input: typeof SetAvailabilityRequestSchema;
        output: typeof SetAvailabilityResponseSchema;
    };
    /**
     * Undoes what happened after a point of the session's log; mail consumed since is pending again, mail accepted since
     * is discarded and its senders are told. What people decided stands. A repeat is answered by the first call.
     *
     * Errors: request:invalid (also for a point that an earlier revert undid, and for more mail than one call restores);
     * session:not_found; session:log_moved; run:already_active; events:cursor_expired (what the log told of the point is no
     * longer kept); auth:forbidden.
     *
     * @generated from rpc kinpost.v1.SessionService.RevertSession
     */
    revertSession: {
        methodKind: "unary";
        input: typeof RevertSessionRequestSchema;
        output: typeof RevertSessionResponseSchema;
    };
    /**
     * Makes a sibling that continues from a point of the session's log, with the mail pending there; the original is
     * untouched. Any point will do, also one that a revert undid. The same id for the same point returns the fork.
     *
     * Errors: request:invalid; session:not_found; session:exists; session:too_many; events:cursor_expired (what the log
     * told of the point is no longer kept); auth:forbidden.
     *
     * @generated from rpc kinpost.v1.SessionService.ForkSession
     */
    forkSession: {
        methodKind: "unary";
        input: typeof ForkSessionRequestSchema;
        output: typeof ForkSessionResponseSchema;
    };
    /**
     * Deletes a session: a tombstone stays, pending mail is discarded and its senders are told.
     *
     * Errors: request:invalid; session:not_found; run:already_active; auth:forbidden.
     *
     * @generated from rpc kinpost.v1.SessionService.DeleteSession
     */
    deleteSession: {
        methodKind: "unary";
        input: typeof DeleteSessionRequestSchema;
        output: typeof DeleteSessionResponseSchema;
    };
}>;
