import { type Claim } from "@kinpost/protocol";
import type { Calls } from "./calls.js";
import { type KinpostError } from "./errors.js";
import { type RunIdentity } from "./run_calls.js";
import type { Outcome, StopReason } from "./terms.js";
import type { Turn } from "./turn.js";
/** A run's body was left inside a turn of which nothing was said; its mail was given back, the run failed. */
export declare class TurnLeftOpen extends Error {
    readonly name = "TurnLeftOpen";
}
/** One run of a runtime. Its `outcome` tells how it ended, undefined before. */
export declare class HeldRun {
    #private;
    readonly calls: Calls;
    readonly identity: RunIdentity;
    rootSessionId: string;
    number: number;
    turn: Turn | undefined;
    outcome: Outcome | undefined;
    stopReason: StopReason | undefined;
    constructor(calls: Calls, identity: RunIdentity);
    /** The run's own id; empty before it has started. */
    get runId(): string;
    /** Fires when the service stops the run, or the program breaks it off. */
    get signal(): AbortSignal;
    /** Whether it has started and not ended, as far as this program knows. */
    get isActive(): boolean;
    /** The claim of the latest turn; 0 before the first. */
    get claimSeq(): bigint;
    /** The claim that the start has brought; undefined for a run that had ended before. */
    get firstClaim(): Claim | undefined;
    /**
     * Stops the run: the service has ended it, and `error` says how. The first stop counts.
     *
     * Not while the run is being ended from here: then it may well have ended, and that call's answer says how. When it
     * says that the run goes on, the stop came after it.
     */
    stop(error: KinpostError): void;
    /** Breaks the run off, as a runtime does that closes: it becomes INTERRUPTED, and its mail waits again. */
    interrupt(reason: unknown): void;
    /** Throws when the run shall go no further. */
    check(): void;
    /** Starts it. Throws WakeSettled, SessionNotOpen, SessionNotFound, RunAlreadyActive, RunEnded. */
    start(): Promise<void>;
    /** Commits the turn and claims for the next one, in one call; undefined when the run has ended instead. */
    nextClaim(turn: Turn): Promise<Claim | undefined>;
    /** Settles a claim at once. */
    commitTurn(claimSeq: bigint): Promise<void>;
    /** Gives a claim back. */
    releaseTurn(claimSeq: bigint, reason: string): Promise<void>;
    /** Does something of the run's, and notes when it learns that the run is over. */
    noting<Result>(work: Promise<Result>): Promise<Result>;
    /** Ends the run by what came out of its body. Throws what the service stopped it with; TurnLeftOpen. */
    leave(thrown: {
        readonly error: unknown;
    } | undefined): Promise<void>;
}
