import type { GenEnum, GenFile, GenMessage } from "@bufbuild/protobuf/codegenv2";
import type { Duration, Timestamp } from "@bufbuild/protobuf/wkt";
import type { MessageMode, MessageSender, ProducerOwner } from "./message_pb.js";
import type { Message } from "@bufbuild/protobuf";
/**
 * Describes the file kinpost/v1/run.proto.
 */
export declare const file_kinpost_v1_run: GenFile;
/**
 * One stretch of work of a session.
 *
 * @generated from message kinpost.v1.Run
 */
export type Run = Message<"kinpost.v1.Run"> & {
    /**
     * The run's UUID.
     *
     * @generated from field: string run_id = 1;
     */
    runId: string;
    /**
     * Whose run it is.
     *
     * @generated from field: string session_id = 2;
     */
    sessionId: string;
    /**
     * The tree.
     *
     * @generated from field: string root_session_id = 3;
     */
    rootSessionId: string;
    /**
     * 1 for the session's first run.
     *
     * @generated from field: uint32 number = 4;
     */
    number: number;
    /**
     * Where it stands.
     *
     * @generated from field: kinpost.v1.RunState state = 5;
     */
    state: RunState;
    /**
     * The wake that it settled, if it was started by one.
     *
     * @generated from field: optional string wake_id = 6;
     */
    wakeId?: string | undefined;
    /**
     * The client's own id for it, if it was started by one.
     *
     * @generated from field: optional string client_run_id = 7;
     */
    clientRunId?: string | undefined;
    /**
     * The runtime that said it runs it.
     *
     * @generated from field: optional string runtime_id = 8;
     */
    runtimeId?: string | undefined;
    /**
     * When it started.
     *
     * @generated from field: google.protobuf.Timestamp start_time = 9;
     */
    startTime?: Timestamp | undefined;
    /**
     * When it ended.
     *
     * @generated from field: optional google.protobuf.Timestamp end_time = 10;
     */
    endTime?: Timestamp | undefined;
    /**
     * When its lease lapses unless a call renews it.
     *
     * @generated from field: optional google.protobuf.Timestamp lease_expire_time = 11;
     */
    leaseExpireTime?: Timestamp | undefined;
    /**
     * The reason given at its end.
     *
     * @generated from field: string reason = 12;
     */
    reason: string;
    /**
     * Whether a person ended it.
     *
     * @generated from field: bool by_person = 13;
     */
    byPerson: boolean;
    /**
     * How many messages it consumed.
     *
     * @generated from field: uint32 consumed_count = 14;
     */
    consumedCount: number;
};
/**
 * Describes the message kinpost.v1.Run.
 * Use `create(RunSchema)` to create a new message.
 */
export declare const RunSchema: GenMessage<Run>;
/**
 * A message reserved for one model request.
 *
 * @generated from message kinpost.v1.ClaimedMessage
 */
export type ClaimedMessage = Message<"kinpost.v1.ClaimedMessage"> & {
    /**
     * The message.
     *
     * @generated from field: string message_id = 1;
     */
    messageId: string;
    /**
     * Who sent it.
     *
     * @generated from field: kinpost.v1.ProducerOwner owner = 2;
     */
    owner: ProducerOwner;
    /**
     * How it was sent.
     *
     * @generated from field: kinpost.v1.MessageMode mode = 3;
     */
    mode: MessageMode;
    /**
     * How deep in a chain of agent mail it is; unset for other owners than agent and delegation.
     *
     * @generated from field: optional uint32 agent_hop = 4;
     */
    agentHop?: number | undefined;
    /**
     * When it was accepted.
     *
     * @generated from field: google.protobuf.Timestamp accept_time = 5;
     */
    acceptTime?: Timestamp | undefined;
    /**
     * How old it was when claimed.
     *
     * @generated from field: google.protobuf.Duration age = 6;
     */
    age?: Duration | undefined;
    /**
     * How often it was put before a model request, this time included.
     *
     * @generated from field: uint32 delivery_count = 7;
     */
    deliveryCount: number;
    /**
     * Where it came from.
     *
     * @generated from field: kinpost.v1.MessageSender sender = 8;
     */
    sender?: MessageSender | undefined;
    /**
     * The body, byte for byte as it was sent.
     *
     * @generated from field: string body = 9;
     */
    body: string;
    /**
     * The text for the model: the body in its frame, the same at every claim. Goes into the prompt as a user turn.
     *
     * @generated from field: string rendered_text = 10;
     */
    renderedText: string;
};
/**
 * Describes the message kinpost.v1.ClaimedMessage.
 * Use `create(ClaimedMessageSchema)` to create a new message.
 */
export declare const ClaimedMessageSchema: GenMessage<ClaimedMessage>;
/**
 * The reservation of messages for one model request.
 *
 * @generated from message kinpost.v1.Claim
 */
export type Claim = Message<"kinpost.v1.Claim"> & {
    /**
     * Names the claim: the `seq` of its event in the session's log.
     *
     * @generated from field: int64 claim_seq = 1;
     */
    claimSeq: bigint;
    /**
     * In accepted order.
     *
     * @generated from field: repeated kinpost.v1.ClaimedMessage messages = 2;
     */
    messages: ClaimedMessage[];
    /**
     * Whether more waits than fitted under the byte limit.
     *
     * @generated from field: bool more_pending = 3;
     */
    morePending: boolean;
    /**
     * The attempt that it answers.
     *
     * @generated from field: string attempt_id = 4;
     */
    attemptId: string;
};
/**
 * Describes the message kinpost.v1.Claim.
 * Use `create(ClaimSchema)` to create a new message.
 */
export declare const ClaimSchema: GenMessage<Claim>;
/**
 * Names a run together with its session.
 *
 * @generated from message kinpost.v1.RunReference
 */
export type RunReference = Message<"kinpost.v1.RunReference"> & {
    /**
     * The session.
     *
     * @generated from field: string session_id = 1;
     */
    sessionId: string;
    /**
     * The run.
     *
     * @generated from field: string run_id = 2;
     */
    runId: string;
};
/**
 * Describes the message kinpost.v1.RunReference.
 * Use `create(RunReferenceSchema)` to create a new message.
 */
export declare const RunReferenceSchema: GenMessage<RunReference>;
/**
 * Where a run stands. All but ACTIVE are outcomes.
 *
 * @generated from enum kinpost.v1.RunState
 */
export declare enum RunState {
    /**
     * @generated from enum value: RUN_STATE_UNSPECIFIED = 0;
     */
    UNSPECIFIED = 0,
    /**
     * @generated from enum value: RUN_STATE_ACTIVE = 1;
     */
    ACTIVE = 1,
    /**
     * @generated from enum value: RUN_STATE_COMPLETED = 2;
     */
    COMPLETED = 2,
    /**
     * @generated from enum value: RUN_STATE_FAILED = 3;
     */
    FAILED = 3,
    /**
     * @generated from enum value: RUN_STATE_INTERRUPTED = 4;
     */
    INTERRUPTED = 4,
    /**
     * @generated from enum value: RUN_STATE_CANCELLED = 5;
     */
    CANCELLED = 5
}
/**
 * Describes the enum kinpost.v1.RunState.
 */
export declare const RunStateSchema: GenEnum<RunState>;
/**
 * Why a run should stop, or gets no more mail.
 *
 * @generated from enum kinpost.v1.StopReason
 */
export declare enum StopReason {
    /**
     * @generated from enum value: STOP_REASON_UNSPECIFIED = 0;
     */
    UNSPECIFIED = 0,
    /**
     * The run was cancelled.
     *
     * @generated from enum value: STOP_REASON_CANCELLED = 1;
     */
    CANCELLED = 1,
    /**
     * The run's lease lapsed.
     *
     * @generated from enum value: STOP_REASON_LEASE_LOST = 2;
     */
    LEASE_LOST = 2,
    /**
     * The session is not open: the run may finish and gets no more mail.
     *
     * @generated from enum value: STOP_REASON_NOT_OPEN = 3;
     */
    NOT_OPEN = 3,
    /**
     * The session was deleted.
     *
     * @generated from enum value: STOP_REASON_DELETED = 4;
     */
    DELETED = 4
}
/**
 * Describes the enum kinpost.v1.StopReason.
 */
export declare const StopReasonSchema: GenEnum<StopReason>;
/**
 * Why a claim was given back.
 *
 * @generated from enum kinpost.v1.ReleaseReason
 */
export declare enum ReleaseReason {
    /**
     * @generated from enum value: RELEASE_REASON_UNSPECIFIED = 0;
     */
    UNSPECIFIED = 0,
    /**
     * The runtime gave it back, for instance because the model request failed.
     *
     * @generated from enum value: RELEASE_REASON_RUNTIME = 1;
     */
    RUNTIME = 1,
    /**
     * A new attempt overtook it.
     *
     * @generated from enum value: RELEASE_REASON_OVERTAKEN = 2;
     */
    OVERTAKEN = 2,
    /**
     * The run ended.
     *
     * @generated from enum value: RELEASE_REASON_RUN_ENDED = 3;
     */
    RUN_ENDED = 3,
    /**
     * The run's lease lapsed.
     *
     * @generated from enum value: RELEASE_REASON_LEASE_LOST = 4;
     */
    LEASE_LOST = 4
}
/**
 * Describes the enum kinpost.v1.ReleaseReason.
 */
export declare const ReleaseReasonSchema: GenEnum<ReleaseReason>;
