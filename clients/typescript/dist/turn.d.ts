import type { Claim } from "@kinpost/protocol";
import type { Mail } from "./records.js";
import type { StopReason } from "./terms.js";
/** What was said of a turn. */
export type Word = "none" | "kept" | "committed" | "released";
/** What a turn needs of its run. */
export interface TurnKeeper {
    readonly turn: Turn | undefined;
    commitTurn(claimSeq: bigint): Promise<void>;
    releaseTurn(claimSeq: bigint, reason: string): Promise<void>;
}
/**
 * One model request. `run.turns()` makes them; each holds a claim on its mail.
 *
 * Put `prompt` into the prompt as a user turn and ask the model. What the body then says decides:
 *
 * - nothing, or `keep()`: the reply is kept and the mail was read. The run ends after it, unless more mail has come.
 * - `more()`: the same, and the model shall be asked again, because it called tools.
 * - `await release()`: the reply is not kept; the mail waits again and comes with the next turn.
 * - an exception before any of these: the mail waits again and the run fails. After `keep()` or `more()`: the mail was
 *   read, and the run fails.
 *
 * The commit travels with the next call of the run. `await commit()` makes it at once: for a runtime that stores its
 * conversation before it calls tools, so that a crash meanwhile does not bring the same mail a second time.
 */
export declare class Turn {
    #private;
    /** 1 for the first turn of the run that this program sees. */
    readonly number: number;
    /** What came since the last turn, in accepted order. */
    readonly mail: readonly Mail[];
    /** Whether more waits than fitted. */
    readonly morePending: boolean;
    /** "not_open" when the session gets no more mail. */
    readonly stopReason: StopReason | undefined;
    constructor(keeper: TurnKeeper, number: number, claim: Claim, stopReason: StopReason | undefined);
    /** The mail as it goes into the prompt, in accepted order, a blank line between two; empty without mail. */
    get prompt(): string;
    /** What was said of it. */
    get word(): Word;
    /** Whether the model shall be asked again. */
    get wantsMore(): boolean;
    /** The name of its claim. */
    get claimSeq(): bigint;
    /** The claim that the run's next call has to commit, if any. */
    get uncommittedClaimSeq(): bigint | undefined;
    /**
     * Says that the model's reply is kept, so that the mail counts as read. Safe to repeat.
     *
     * Throws Error after `release()`, and for a turn that is not the run's latest.
     */
    keep(): void;
    /** Says that the reply is kept and the model shall be asked again, whether mail waits or not. Throws as `keep`. */
    more(): void;
    /**
     * Keeps the reply and settles the mail at once, in place of with the run's next call. Safe to repeat.
     *
     * Throws Error as `keep`; RunEnded when the run is over; ClaimLost.
     */
    commit(): Promise<void>;
    /**
     * Gives the mail back: it waits again, in its old order, and comes with the next turn. Safe to repeat.
     *
     * `reason` is for people, cut at 1024 bytes. Throws Error after `keep()`, RunEnded when the run is over.
     */
    release(reason?: string): Promise<void>;
    /** Notes that a call has carried the commit. */
    committed(): void;
}
