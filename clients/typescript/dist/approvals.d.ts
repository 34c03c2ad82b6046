import type { Duration } from "@bufbuild/protobuf/wkt";
import type { Calls, Patience } from "./calls.js";
import type { Approval } from "./records.js";
import type { ApprovalDecision, ApprovalState, Said } from "./terms.js";
/** What an approver does; `client.approvals` is it. Observers may look; others get Forbidden. */
export declare class Approvals {
    #private;
    constructor(calls: Calls);
    /**
     * Returns a tree's approvals, from any depth, newest first; those of no states in particular are all.
     *
     * Throws SessionNotFound, Forbidden.
     */
    list(rootSessionId: string, { states }?: {
        readonly states?: Iterable<Said<ApprovalState>>;
    }): AsyncGenerator<Approval, void, void>;
    /** Returns one approval of a session. Throws SessionNotFound, ApprovalNotFound. */
    get(sessionId: string, approvalId: string): Promise<Approval>;
    /**
     * Answers an approval of a session and returns it; what is allowed is carried out with it. Safe to repeat.
     *
     * "allow_for_tree" allows the same operation to every asker of the tree. `reason`, at most 1024 bytes, is for the
     * asking agent and for people. Throws ApprovalNotFound, Forbidden, IdempotencyConflict (it was decided otherwise),
     * ApprovalExpired, ApprovalCancelled.
     */
    decide(sessionId: string, approvalId: string, decision: Said<ApprovalDecision>, { reason }?: {
        readonly reason?: string;
    }): Promise<Approval>;
}
/** What asks the service to wait in one request: the field, and the patience that goes with it. */
export interface Wait {
    readonly field: {
        readonly approvalWait?: Duration;
    };
    readonly patience: Patience;
}
/**
 * Makes a call, and again until a person has answered: for so many seconds, or for as long as it takes.
 *
 * The first call does not wait, since most need no person. Returns the last answer.
 */
export declare function answered<Answer>(call: (wait: Wait) => Promise<Answer>, isPending: (answer: Answer) => boolean, waitSeconds: number | undefined, signal?: AbortSignal): Promise<Answer>;
