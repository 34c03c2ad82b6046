import { type ClaimMessagesResponse, type FinishRunResponse, type StartRunResponse } from "@kinpost/protocol";
import type { Calls } from "./calls.js";
import { RunEnded } from "./errors.js";
import type { Offer } from "./records.js";
import type { Outcome, Said } from "./terms.js";
/** How long ending a run that failed or was broken off may take; then its lease lapses by itself. */
export declare const BREAK_OFF_SECONDS = 5;
/** What identifies a run before it has started: an offer's wake, or the client's own id. */
export interface RunIdentity {
    readonly runtimeId: string;
    readonly sessionId: string;
    readonly offer: Offer | undefined;
    readonly clientRunId: string;
}
/** Calls for a session's run; `runId` is known once it has started. `over` is told when one finds the run ended. */
export declare class RunCalls {
    #private;
    runId: string;
    constructor(calls: Calls, identity: RunIdentity, signal: AbortSignal, over: (ended: RunEnded) => void);
    /** Starts the run, and claims its first mail. */
    start(): Promise<StartRunResponse>;
    /** Commits a claim, if named, and claims for the next model request. */
    claim(commitClaimSeq: bigint | undefined): Promise<ClaimMessagesResponse>;
    /** Settles a claim at once. */
    commit(claimSeq: bigint): Promise<void>;
    /** Gives a claim back. */
    release(claimSeq: bigint, reason: string): Promise<void>;
    /** Commits a claim, if named, and ends the run, or goes on with steer mail that has come meanwhile. */
    finish(outcome: Said<Outcome>, reason: string, commitClaimSeq: bigint | undefined, goOn: boolean): Promise<FinishRunResponse>;
    /** Does something of the run's, and tells when it learns that the run is over. */
    noting<Result>(work: Promise<Result>): Promise<Result>;
}
/** Returns the text, cut to what a reason may be: 1024 bytes of UTF-8. */
export declare function cut(text: string): string;
