import type { GenEnum, GenFile, GenMessage, GenService } from "@bufbuild/protobuf/codegenv2";
import type { Duration, Timestamp } from "@bufbuild/protobuf/wkt";
import type { Claim, Run, RunReference, RunState, StopReason } from "./run_pb.js";
import type { Session } from "./session_pb.js";
import type { Message } from "@bufbuild/protobuf";
/**
 * Describes the file kinpost/v1/run_service.proto.
 */
export declare const file_kinpost_v1_run_service: GenFile;
/**
 * See RunService.AttachRuntime.
 *
 * @generated from message kinpost.v1.AttachRuntimeRequest
 */
export type AttachRuntimeRequest = Message<"kinpost.v1.AttachRuntimeRequest"> & {
    /**
     * The runtime's own lasting id, 1 to 128 bytes; belongs to the token that first used it.
     *
     * @generated from field: string runtime_id = 1;
     */
    runtimeId: string;
    /**
     * The agents that it can run; `*` for all. Needed with ANY.
     *
     * @generated from field: repeated string agents = 2;
     */
    agents: string[];
    /**
     * Which sessions it is offered; unspecified means OWN.
     *
     * @generated from field: kinpost.v1.SessionScope session_scope = 3;
     */
    sessionScope: SessionScope;
    /**
     * How many runs it can hold at once, 1 to 10000.
     *
     * @generated from field: uint32 run_slots_max = 4;
     */
    runSlotsMax: number;
    /**
     * The runs that it holds already.
     *
     * @generated from field: repeated kinpost.v1.RunReference held_runs = 5;
     */
    heldRuns: RunReference[];
};
/**
 * Describes the message kinpost.v1.AttachRuntimeRequest.
 * Use `create(AttachRuntimeRequestSchema)` to create a new message.
 */
export declare const AttachRuntimeRequestSchema: GenMessage<AttachRuntimeRequest>;
/**
 * See RunService.AttachRuntime.
 *
 * @generated from message kinpost.v1.AttachRuntimeResponse
 */
export type AttachRuntimeResponse = Message<"kinpost.v1.AttachRuntimeResponse"> & {
    /**
     * What the runtime is told.
     *
     * @generated from oneof kinpost.v1.AttachRuntimeResponse.message
     */
    message: {
        /**
         * First of all: the attachment stands.
         *
         * @generated from field: kinpost.v1.RuntimeAttached attached = 1;
         */
        value: RuntimeAttached;
        case: "attached";
    } | {
        /**
         * A session needs a run.
         *
         * @generated from field: kinpost.v1.WakeOffer wake_offer = 2;
         */
        value: WakeOffer;
        case: "wakeOffer";
    } | {
        /**
         * An offer no longer stands.
         *
         * @generated from field: kinpost.v1.WakeOfferWithdrawn wake_withdrawn = 3;
         */
        value: WakeOfferWithdrawn;
        case: "wakeWithdrawn";
    } | {
        /**
         * A run must stop.
         *
         * @generated from field: kinpost.v1.RunStop run_stop = 4;
         */
        value: RunStop;
        case: "runStop";
    } | {
        /**
         * The stream lives.
         *
         * @generated from field: kinpost.v1.RuntimeHeartbeat heartbeat = 5;
         */
        value: RuntimeHeartbeat;
        case: "heartbeat";
    } | {
        case: undefined;
        value?: undefined;
    };
};
/**
 * Describes the message kinpost.v1.AttachRuntimeResponse.
 * Use `create(AttachRuntimeResponseSchema)` to create a new message.
 */
export declare const AttachRuntimeResponseSchema: GenMessage<AttachRuntimeResponse>;
/**
 * The attachment stands.
 *
 * @generated from message kinpost.v1.RuntimeAttached
 */
export type RuntimeAttached = Message<"kinpost.v1.RuntimeAttached"> & {
    /**
     * How often to call Heartbeat, at least.
     *
     * @generated from field: google.protobuf.Duration heartbeat_interval = 1;
     */
    heartbeatInterval?: Duration | undefined;
    /**
     * How long a run's lease is.
     *
     * @generated from field: google.protobuf.Duration run_lease = 2;
     */
    runLease?: Duration | undefined;
    /**
     * Of `held_runs`, those that are not active any more.
     *
     * @generated from field: repeated kinpost.v1.RunStop stopped_runs = 3;
     */
    stoppedRuns: RunStop[];
};
/**
 * Describes the message kinpost.v1.RuntimeAttached.
 * Use `create(RuntimeAttachedSchema)` to create a new message.
 */
export declare const RuntimeAttachedSchema: GenMessage<RuntimeAttached>;
/**
 * A session needs a run.
 *
 * @generated from message kinpost.v1.WakeOffer
 */
export type WakeOffer = Message<"kinpost.v1.WakeOffer"> & {
    /**
     * Start the run with it.
     *
     * @generated from field: string wake_id = 1;
     */
    wakeId: string;
    /**
     * The session.
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
     * The agent's name.
     *
     * @generated from field: string agent = 4;
     */
    agent: string;
    /**
     * 1 for the wake's first offer.
     *
     * @generated from field: uint32 offer_number = 5;
     */
    offerNumber: number;
    /**
     * When the offer lapses.
     *
     * @generated from field: google.protobuf.Timestamp expire_time = 6;
     */
    expireTime?: Timestamp | undefined;
    /**
     * How many messages wait.
     *
     * @generated from field: uint32 pending_count = 7;
     */
    pendingCount: number;
};
/**
 * Describes the message kinpost.v1.WakeOffer.
 * Use `create(WakeOfferSchema)` to create a new message.
 */
export declare const WakeOfferSchema: GenMessage<WakeOffer>;
/**
 * An offer no longer stands.
 *
 * @generated from message kinpost.v1.WakeOfferWithdrawn
 */
export type WakeOfferWithdrawn = Message<"kinpost.v1.WakeOfferWithdrawn"> & {
    /**
     * The wake.
     *
     * @generated from field: string wake_id = 1;
     */
    wakeId: string;
    /**
     * The session.
     *
     * @generated from field: string session_id = 2;
     */
    sessionId: string;
    /**
     * Why.
     *
     * @generated from field: kinpost.v1.WithdrawReason reason = 3;
     */
    reason: WithdrawReason;
};
/**
 * Describes the message kinpost.v1.WakeOfferWithdrawn.
 * Use `create(WakeOfferWithdrawnSchema)` to create a new message.
 */
export declare const WakeOfferWithdrawnSchema: GenMessage<WakeOfferWithdrawn>;
/**
 * A run must stop.
 *
 * @generated from message kinpost.v1.RunStop
 */
export type RunStop = Message<"kinpost.v1.RunStop"> & {
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
    /**
     * Why.
     *
     * @generated from field: kinpost.v1.StopReason reason = 3;
     */
    reason: StopReason;
};
/**
 * Describes the message kinpost.v1.RunStop.
 * Use `create(RunStopSchema)` to create a new message.
 */
export declare const RunStopSchema: GenMessage<RunStop>;
/**
 * The stream lives.
 *
 * @generated from message kinpost.v1.RuntimeHeartbeat
 */
export type RuntimeHeartbeat = Message<"kinpost.v1.RuntimeHeartbeat"> & {};
/**
 * Describes the message kinpost.v1.RuntimeHeartbeat.
 * Use `create(RuntimeHeartbeatSchema)` to create a new message.
 */
export declare const RuntimeHeartbeatSchema: GenMessage<RuntimeHeartbeat>;
/**
 * See RunService.Heartbeat.
 *
 * @generated from message kinpost.v1.HeartbeatRequest
 */
export type HeartbeatRequest = Message<"kinpost.v1.HeartbeatRequest"> & {
    /**
     * The runtime.
     *
     * @generated from field: string runtime_id = 1;
     */
    runtimeId: string;
    /**
     * The runs that it holds, at most 10000.
     *
     * @generated from field: repeated kinpost.v1.RunReference runs = 2;
     */
    runs: RunReference[];
};
/**
 * Describes the message kinpost.v1.HeartbeatRequest.
 * Use `create(HeartbeatRequestSchema)` to create a new message.
 */
export declare const HeartbeatRequestSchema: GenMessage<HeartbeatRequest>;
/**
 * Where one run stands.
 *
 * @generated from message kinpost.v1.RunLease
 */
export type RunLease = Message<"kinpost.v1.RunLease"> & {
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
    /**
     * Where it stands; unspecified for a run that the caller does not hold.
     *
     * @generated from field: kinpost.v1.RunState state = 3;
     */
    state: RunState;
    /**
     * Why it must stop, if it must.
     *
     * @generated from field: kinpost.v1.StopReason stop_reason = 4;
     */
    stopReason: StopReason;
};
/**
 * Describes the message kinpost.v1.RunLease.
 * Use `create(RunLeaseSchema)` to create a new message.
 */
export declare const RunLeaseSchema: GenMessage<RunLease>;
/**
 * See RunService.Heartbeat.
 *
 * @generated from message kinpost.v1.HeartbeatResponse
 */
export type HeartbeatResponse = Message<"kinpost.v1.HeartbeatResponse"> & {
    /**
     * In the order of the request.
     *
     * @generated from field: repeated kinpost.v1.RunLease runs = 1;
     */
    runs: RunLease[];
    /**
     * Until when the leases of the active ones now last.
     *
     * @generated from field: google.protobuf.Timestamp lease_expire_time = 2;
     */
    leaseExpireTime?: Timestamp | undefined;
};
/**
 * Describes the message kinpost.v1.HeartbeatResponse.
 * Use `create(HeartbeatResponseSchema)` to create a new message.
 */
export declare const HeartbeatResponseSchema: GenMessage<HeartbeatResponse>;
/**
 * See RunService.DeclineWake.
 *
 * @generated from message kinpost.v1.DeclineWakeRequest
 */
export type DeclineWakeRequest = Message<"kinpost.v1.DeclineWakeRequest"> & {
    /**
     * The session.
     *
     * @generated from field: string session_id = 1;
     */
    sessionId: string;
    /**
     * The wake.
     *
     * @generated from field: string wake_id = 2;
     */
    wakeId: string;
    /**
     * For people, at most 1024 bytes.
     *
     * @generated from field: string reason = 3;
     */
    reason: string;
    /**
     * Not to this runtime before this long, at most an hour; to another that is attached, at once.
     *
     * @generated from field: optional google.protobuf.Duration retry_after = 4;
     */
    retryAfter?: Duration | undefined;
};
/**
 * Describes the message kinpost.v1.DeclineWakeRequest.
 * Use `create(DeclineWakeRequestSchema)` to create a new message.
 */
export declare const DeclineWakeRequestSchema: GenMessage<DeclineWakeRequest>;
/**
 * See RunService.DeclineWake.
 *
 * @generated from message kinpost.v1.DeclineWakeResponse
 */
export type DeclineWakeResponse = Message<"kinpost.v1.DeclineWakeResponse"> & {};
/**
 * Describes the message kinpost.v1.DeclineWakeResponse.
 * Use `create(DeclineWakeResponseSchema)` to create a new message.
 */
export declare const DeclineWakeResponseSchema: GenMessage<DeclineWakeResponse>;
/**
 * See RunService.StartRun.
 *
 * @generated from message kinpost.v1.StartRunRequest
 */
export type StartRunRequest = Message<"kinpost.v1.StartRunRequest"> & {
    /**
     * The session.
     *
     * @generated from field: string session_id = 1;
     */
    sessionId: string;
    /**
     * The run's identity: repeating it returns the same run.
     *
     * @generated from oneof kinpost.v1.StartRunRequest.identity
     */
    identity: {
        /**
         * The wake that was offered.
         *
         * @generated from field: string wake_id = 2;
         */
        value: string;
        case: "wakeId";
    } | {
        /**
         * The client's own id, 1 to 128 bytes.
         *
         * @generated from field: string client_run_id = 3;
         */
        value: string;
        case: "clientRunId";
    } | {
        case: undefined;
        value?: undefined;
    };
    /**
     * Claims the first mail in the same call; 1 to 128 bytes, empty for no claim.
     *
     * @generated from field: string attempt_id = 4;
     */
    attemptId: string;
    /**
     * The runtime that runs it, so that stops reach it; may be empty.
     *
     * @generated from field: string runtime_id = 5;
     */
    runtimeId: string;
    /**
     * At most so many bytes of bodies in the claim; 0 means the service's limit.
     *
     * @generated from field: uint32 bytes_max = 6;
     */
    bytesMax: number;
};
/**
 * Describes the message kinpost.v1.StartRunRequest.
 * Use `create(StartRunRequestSchema)` to create a new message.
 */
export declare const StartRunRequestSchema: GenMessage<StartRunRequest>;
/**
 * See RunService.StartRun.
 *
 * @generated from message kinpost.v1.StartRunResponse
 */
export type StartRunResponse = Message<"kinpost.v1.StartRunResponse"> & {
    /**
     * The run.
     *
     * @generated from field: kinpost.v1.Run run = 1;
     */
    run?: Run | undefined;
    /**
     * Its first claim, if one was asked for.
     *
     * @generated from field: optional kinpost.v1.Claim claim = 2;
     */
    claim?: Claim | undefined;
};
/**
 * Describes the message kinpost.v1.StartRunResponse.
 * Use `create(StartRunResponseSchema)` to create a new message.
 */
export declare const StartRunResponseSchema: GenMessage<StartRunResponse>;
/**
 * See RunService.ClaimMessages.
 *
 * @generated from message kinpost.v1.ClaimMessagesRequest
 */
export type ClaimMessagesRequest = Message<"kinpost.v1.ClaimMessagesRequest"> & {
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
    /**
     * The client's id for this model request, 1 to 128 bytes. New for each request.
     *
     * @generated from field: string attempt_id = 3;
     */
    attemptId: string;
    /**
     * Commits this claim first.
     *
     * @generated from field: optional int64 commit_claim_seq = 4;
     */
    commitClaimSeq?: bigint | undefined;
    /**
     * At most so many bytes of bodies; 0 means the service's limit. The first message always fits.
     *
     * @generated from field: uint32 bytes_max = 5;
     */
    bytesMax: number;
};
/**
 * Describes the message kinpost.v1.ClaimMessagesRequest.
 * Use `create(ClaimMessagesRequestSchema)` to create a new message.
 */
export declare const ClaimMessagesRequestSchema: GenMessage<ClaimMessagesRequest>;
/**
 * See RunService.ClaimMessages.
 *
 * @generated from message kinpost.v1.ClaimMessagesResponse
 */
export type ClaimMessagesResponse = Message<"kinpost.v1.ClaimMessagesResponse"> & {
    /**
     * The claim; may hold no messages.
     *
     * @generated from field: kinpost.v1.Claim claim = 1;
     */
    claim?: Claim | undefined;
    /**
     * Why the run should end soon, if it should.
     *
     * @generated from field: kinpost.v1.StopReason stop_reason = 2;
     */
    stopReason: StopReason;
};
/**
 * Describes the message kinpost.v1.ClaimMessagesResponse.
 * Use `create(ClaimMessagesResponseSchema)` to create a new message.
 */
export declare const ClaimMessagesResponseSchema: GenMessage<ClaimMessagesResponse>;
/**
 * See RunService.CommitTurn.
 *
 * @generated from message kinpost.v1.CommitTurnRequest
 */
export type CommitTurnRequest = Message<"kinpost.v1.CommitTurnRequest"> & {
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
    /**
     * The claim of the turn.
     *
     * @generated from field: int64 claim_seq = 3;
     */
    claimSeq: bigint;
};
/**
 * Describes the message kinpost.v1.CommitTurnRequest.
 * Use `create(CommitTurnRequestSchema)` to create a new message.
 */
export declare const CommitTurnRequestSchema: GenMessage<CommitTurnRequest>;
/**
 * See RunService.CommitTurn.
 *
 * @generated from message kinpost.v1.CommitTurnResponse
 */
export type CommitTurnResponse = Message<"kinpost.v1.CommitTurnResponse"> & {
    /**
     * What the turn consumed, in accepted order.
     *
     * @generated from field: repeated string consumed_message_ids = 1;
     */
    consumedMessageIds: string[];
};
/**
 * Describes the message kinpost.v1.CommitTurnResponse.
 * Use `create(CommitTurnResponseSchema)` to create a new message.
 */
export declare const CommitTurnResponseSchema: GenMessage<CommitTurnResponse>;
/**
 * See RunService.ReleaseClaim.
 *
 * @generated from message kinpost.v1.ReleaseClaimRequest
 */
export type ReleaseClaimRequest = Message<"kinpost.v1.ReleaseClaimRequest"> & {
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
    /**
     * The claim.
     *
     * @generated from field: int64 claim_seq = 3;
     */
    claimSeq: bigint;
    /**
     * For people, at most 1024 bytes.
     *
     * @generated from field: string reason = 4;
     */
    reason: string;
};
/**
 * Describes the message kinpost.v1.ReleaseClaimRequest.
 * Use `create(ReleaseClaimRequestSchema)` to create a new message.
 */
export declare const ReleaseClaimRequestSchema: GenMessage<ReleaseClaimRequest>;
/**
 * See RunService.ReleaseClaim.
 *
 * @generated from message kinpost.v1.ReleaseClaimResponse
 */
export type ReleaseClaimResponse = Message<"kinpost.v1.ReleaseClaimResponse"> & {};
/**
 * Describes the message kinpost.v1.ReleaseClaimResponse.
 * Use `create(ReleaseClaimResponseSchema)` to create a new message.
 */
export declare const ReleaseClaimResponseSchema: GenMessage<ReleaseClaimResponse>;
/**
 * See RunService.FinishRun.
 *
 * @generated from message kinpost.v1.FinishRunRequest
 */
export type FinishRunRequest = Message<"kinpost.v1.FinishRunRequest"> & {
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
    /**
     * COMPLETED, FAILED, INTERRUPTED or CANCELLED.
     *
     * @generated from field: kinpost.v1.RunState outcome = 3;
     */
    outcome: RunState;
    /**
     * For people, at most 1024 bytes. Of a run that was delegated in the background it is what the parent's model reads.
     *
     * @generated from field: string reason = 4;
     */
    reason: string;
    /**
     * With CANCELLED: a person did it, so the session is paused too.
     *
     * @generated from field: bool by_person = 5;
     */
    byPerson: boolean;
    /**
     * Commits this claim first.
     *
     * @generated from field: optional int64 commit_claim_seq = 6;
     */
    commitClaimSeq?: bigint | undefined;
    /**
     * With COMPLETED: claim waiting steer mail under this attempt in place of ending. 1 to 128 bytes.
     *
     * @generated from field: string continue_attempt_id = 7;
     */
    continueAttemptId: string;
};
/**
 * Describes the message kinpost.v1.FinishRunRequest.
 * Use `create(FinishRunRequestSchema)` to create a new message.
 */
export declare const FinishRunRequestSchema: GenMessage<FinishRunRequest>;
/**
 * See RunService.FinishRun.
 *
 * @generated from message kinpost.v1.FinishRunResponse
 */
export type FinishRunResponse = Message<"kinpost.v1.FinishRunResponse"> & {
    /**
     * What happened.
     *
     * @generated from oneof kinpost.v1.FinishRunResponse.result
     */
    result: {
        /**
         * The run, ended.
         *
         * @generated from field: kinpost.v1.Run run = 1;
         */
        value: Run;
        case: "run";
    } | {
        /**
         * More mail: the run goes on.
         *
         * @generated from field: kinpost.v1.Claim claim = 2;
         */
        value: Claim;
        case: "claim";
    } | {
        case: undefined;
        value?: undefined;
    };
};
/**
 * Describes the message kinpost.v1.FinishRunResponse.
 * Use `create(FinishRunResponseSchema)` to create a new message.
 */
export declare const FinishRunResponseSchema: GenMessage<FinishRunResponse>;
/**
 * See RunService.CancelRun.
 *
 * @generated from message kinpost.v1.CancelRunRequest
 */
export type CancelRunRequest = Message<"kinpost.v1.CancelRunRequest"> & {
    /**
     * The session.
     *
     * @generated from field: string session_id = 1;
     */
    sessionId: string;
    /**
     * The run; empty for whichever is active.
     *
     * @generated from field: string run_id = 2;
     */
    runId: string;
    /**
     * For people, at most 1024 bytes.
     *
     * @generated from field: string reason = 3;
     */
    reason: string;
    /**
     * A person did it, so the session is paused too. Implied by an approver's or admin's token.
     *
     * @generated from field: bool by_person = 4;
     */
    byPerson: boolean;
};
/**
 * Describes the message kinpost.v1.CancelRunRequest.
 * Use `create(CancelRunRequestSchema)` to create a new message.
 */
export declare const CancelRunRequestSchema: GenMessage<CancelRunRequest>;
/**
 * See RunService.CancelRun.
 *
 * @generated from message kinpost.v1.CancelRunResponse
 */
export type CancelRunResponse = Message<"kinpost.v1.CancelRunResponse"> & {
    /**
     * The run, ended.
     *
     * @generated from field: kinpost.v1.Run run = 1;
     */
    run?: Run | undefined;
    /**
     * The session as it is now.
     *
     * @generated from field: kinpost.v1.Session session = 2;
     */
    session?: Session | undefined;
};
/**
 * Describes the message kinpost.v1.CancelRunResponse.
 * Use `create(CancelRunResponseSchema)` to create a new message.
 */
export declare const CancelRunResponseSchema: GenMessage<CancelRunResponse>;
/**
 * Which sessions a runtime is offered.
 *
 * @generated from enum kinpost.v1.SessionScope
 */
export declare enum SessionScope {
    /**
     * @generated from enum value: SESSION_SCOPE_UNSPECIFIED = 0;
     */
    UNSPECIFIED = 0,
    /**
     * The sessions it hosts.
     *
     * @generated from enum value: SESSION_SCOPE_OWN = 1;
     */
    OWN = 1,
    /**
     * Also any session of its agents.
     *
     * @generated from enum value: SESSION_SCOPE_ANY = 2;
     */
    ANY = 2
}
/**
 * Describes the enum kinpost.v1.SessionScope.
 */
export declare const SessionScopeSchema: GenEnum<SessionScope>;
/**
 * Why an offer was withdrawn.
 *
 * @generated from enum kinpost.v1.WithdrawReason
 */
export declare enum WithdrawReason {
    /**
     * @generated from enum value: WITHDRAW_REASON_UNSPECIFIED = 0;
     */
    UNSPECIFIED = 0,
    /**
     * Another run started first.
     *
     * @generated from enum value: WITHDRAW_REASON_SETTLED = 1;
     */
    SETTLED = 1,
    /**
     * No mail waits any more, or the session may not wake.
     *
     * @generated from enum value: WITHDRAW_REASON_NOT_DUE = 2;
     */
    NOT_DUE = 2,
    /**
     * The offer lapsed.
     *
     * @generated from enum value: WITHDRAW_REASON_EXPIRED = 3;
     */
    EXPIRED = 3
}
/**
 * Describes the enum kinpost.v1.WithdrawReason.
 */
export declare const WithdrawReasonSchema: GenEnum<WithdrawReason>;
/**
 * Runs, claims and wakes. One call a turn: StartRun claims; ClaimMessages and FinishRun carry the commit of the
 * previous claim.
 *
 * @generated from service kinpost.v1.RunService
 */
export declare const RunService: GenService<{
    /**
     * Streams wake offers, withdrawals, stops and heartbeats to a runtime until it leaves. A runtime id attached anew
     * takes the place of its earlier attachment.
     *
     * Errors: request:invalid; auth:forbidden (the id belongs to another token); runtime:replaced; server:overloaded.
     *
     * @generated from rpc kinpost.v1.RunService.AttachRuntime
     */
    attachRuntime: {
        methodKind: "server_streaming";
        input: typeof AttachRuntimeRequestSchema;
        output: typeof AttachRuntimeResponseSchema;
    };
    /**
     * Renews the leases of a runtime's runs, counted from arrival, and tells where each of them stands.
     *
     * Errors: request:invalid; auth:forbidden.
     *
     * @generated from rpc kinpost.v1.RunService.Heartbeat
     */
    heartbeat: {
        methodKind: "unary";
        input: typeof HeartbeatRequestSchema;
        output: typeof HeartbeatResponseSchema;
    };
    /**
     * Gives an offer back; the wake is offered again, to another runtime first.
     *
     * Errors: request:invalid; session:not_found; wake:settled.
     *
     * @generated from rpc kinpost.v1.RunService.DeclineWake
     */
    declineWake: {
        methodKind: "unary";
        input: typeof DeclineWakeRequestSchema;
        output: typeof DeclineWakeResponseSchema;
    };
    /**
     * Starts a run and, with `attempt_id`, claims its first mail. The same wake or client run id returns the same run.
     *
     * Errors: request:invalid; session:not_found; session:not_open; run:already_active; run:lease_lost, run:cancelled,
     * run:not_active (a repeat after its end); wake:settled; claim:lost.
     *
     * @generated from rpc kinpost.v1.RunService.StartRun
     */
    startRun: {
        methodKind: "unary";
        input: typeof StartRunRequestSchema;
        output: typeof StartRunResponseSchema;
    };
    /**
     * Commits the previous claim, if named, and reserves mail for the next model request. Call it just before that
     * request. The same attempt returns the same claim as long as it lives; a new attempt releases a live claim first.
     *
     * Errors: request:invalid; session:not_found; run:not_active; run:lease_lost; run:cancelled; claim:lost.
     *
     * @generated from rpc kinpost.v1.RunService.ClaimMessages
     */
    claimMessages: {
        methodKind: "unary";
        input: typeof ClaimMessagesRequestSchema;
        output: typeof ClaimMessagesResponseSchema;
    };
    /**
     * Marks a claim's messages as consumed: call it when the model's reply is kept. Safe to repeat.
     *
     * Errors: request:invalid; session:not_found; run:not_active; run:lease_lost; run:cancelled; claim:lost.
     *
     * @generated from rpc kinpost.v1.RunService.CommitTurn
     */
    commitTurn: {
        methodKind: "unary";
        input: typeof CommitTurnRequestSchema;
        output: typeof CommitTurnResponseSchema;
    };
    /**
     * Gives a claim back; its messages wait again, in their old order. Safe to repeat.
     *
     * Errors: request:invalid; session:not_found; run:not_active; run:lease_lost; run:cancelled; claim:lost.
     *
     * @generated from rpc kinpost.v1.RunService.ReleaseClaim
     */
    releaseClaim: {
        methodKind: "unary";
        input: typeof ReleaseClaimRequestSchema;
        output: typeof ReleaseClaimResponseSchema;
    };
    /**
     * Ends a run with an outcome, after the commit of its last claim if named. With `continue_attempt_id` and the outcome
     * COMPLETED it returns waiting steer mail as a claim in place of ending. Safe to repeat.
     *
     * Errors: request:invalid; session:not_found; claim:outstanding; claim:lost; run:not_active; run:lease_lost;
     * run:cancelled.
     *
     * @generated from rpc kinpost.v1.RunService.FinishRun
     */
    finishRun: {
        methodKind: "unary";
        input: typeof FinishRunRequestSchema;
        output: typeof FinishRunResponseSchema;
    };
    /**
     * Cancels a run; its mail waits again. A person's cancel also pauses the session. Safe to repeat when it names the run.
     *
     * Errors: request:invalid; session:not_found; run:not_active.
     *
     * @generated from rpc kinpost.v1.RunService.CancelRun
     */
    cancelRun: {
        methodKind: "unary";
        input: typeof CancelRunRequestSchema;
        output: typeof CancelRunResponseSchema;
    };
}>;
