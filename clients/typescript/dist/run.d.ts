import type { HeldRun } from "./held_run.js";
import type { Accepted, Offer, Session, Tool, ToolResult } from "./records.js";
import { type ChildWishes } from "./session_requests.js";
import type { Mode, Outcome, Said, StopReason } from "./terms.js";
import { type ApprovalWait, type ToolArguments } from "./tool_calls.js";
import { Turn } from "./turn.js";
/** How a child is delegated. */
export interface Delegation extends ChildWishes {
    /** The model's tool call that delegates. */
    readonly toolCallId?: string | undefined;
}
/**
 * One run. `runtime.run` and `runtime.start` start it, hand it to a body, and end it by what comes out of the body:
 *
 * - The body returns: the run is COMPLETED. `turns()` ends it itself, and goes on instead when steer mail has come.
 * - The body throws: the run is FAILED, with the exception as the reason, and the exception goes on.
 * - The runtime closes, or the caller's signal fires: `signal` fires, and when the body throws upon that the run is
 *   INTERRUPTED: its mail wakes the session again.
 * - The service stops it (somebody cancelled it, its lease lapsed, its session was deleted): `signal` fires, and
 *   RunCancelled, RunLeaseLost or SessionNotFound is thrown once the body has come to its end.
 *
 * Hand `signal` to the model's call and to the tools: a body that does not heed it is waited for.
 */
export declare class Run {
    #private;
    constructor(held: HeldRun);
    /** The session. */
    get sessionId(): string;
    /** The tree. */
    get rootSessionId(): string;
    /** The offer that it was started with, if any. */
    get offer(): Offer | undefined;
    /** The run's own id. */
    get runId(): string;
    /** 1 for the session's first run. */
    get number(): number;
    /** The latest turn. */
    get turn(): Turn | undefined;
    /** How it ended; undefined before. */
    get outcome(): Outcome | undefined;
    /** "not_open" when it may finish and gets no more mail. */
    get stopReason(): StopReason | undefined;
    /** Fires when the run must stop; its reason is what will be thrown. */
    get signal(): AbortSignal;
    /**
     * Returns the run's model requests, one after the other; see `Turn` for what the body says of each.
     *
     * Mail is claimed at each step of the loop, so just before the model is asked. The loop ends when the body has said
     * `more()` no longer and no steer mail has come meanwhile; the run is then COMPLETED. A woken run begins with mail, or
     * has no turn at all; one that its delegator started may begin without.
     */
    turns(): AsyncGenerator<Turn, void, void>;
    /** Returns the tools that the service offers this session's model; may be empty. */
    listTools(): Promise<Tool[]>;
    /**
     * Carries out a model's call of one of the service's tools; what the tool refuses is a result too.
     *
     * `toolCallId` is the model's own; it is made unique within the run by the turn. The same call again returns the first
     * acceptance. Where a person is asked, the call waits for the answer, unless `approvalWaitSeconds` says how long; then
     * the result has the code "approval:pending", and the message goes out when it is allowed while the run lasts.
     */
    callTool(name: string, given: ToolArguments, { toolCallId, approvalWaitSeconds }: {
        readonly toolCallId: string;
    } & ApprovalWait): Promise<ToolResult>;
    /**
     * Writes to another agent of the tree: `to` is a handle or a session id.
     *
     * As `callTool("send_message", ...)`, for runtimes that send by themselves: a refusal is thrown, typed. Without a
     * `toolCallId` each call is a message of its own. Throws InvalidBody, UnknownReference, UnknownSession, SelfSend,
     * NotTreePeer, PermissionDenied, ApprovalDenied, ApprovalExpired, ApprovalCancelled, ApprovalPending (nobody answered
     * within `approvalWaitSeconds`), TooManyApprovals, InboxFull, InflightFull, MaxHopsExceeded, MessagingDisabled,
     * IdempotencyConflict.
     */
    send(to: string, body: string, options?: {
        readonly mode?: Said<Mode>;
        readonly toolCallId?: string;
    } & ApprovalWait): Promise<Accepted>;
    /**
     * Makes a child session of this run's session.
     *
     * With the starter "delegator", which it is unless said otherwise, this runtime runs the child: `runtime.start`. With
     * "wake" whichever runtime hosts the agent is offered it, as soon as it has mail. Throws as `client.createSession`.
     */
    delegate(agent: string, options?: Delegation): Promise<Session>;
}
