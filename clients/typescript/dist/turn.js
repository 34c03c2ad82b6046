// A turn: one model request of a run, with the mail that is put before it.
import * as convert from "./convert.js";
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
export class Turn {
    /** 1 for the first turn of the run that this program sees. */
    number;
    /** What came since the last turn, in accepted order. */
    mail;
    /** Whether more waits than fitted. */
    morePending;
    /** "not_open" when the session gets no more mail. */
    stopReason;
    #claimSeq;
    #keeper;
    #word = "none";
    #wantsMore = false;
    constructor(keeper, number, claim, stopReason) {
        this.number = number;
        this.mail = claim.messages.map(convert.mail);
        this.morePending = claim.morePending;
        this.stopReason = stopReason;
        this.#claimSeq = claim.claimSeq;
        this.#keeper = keeper;
    }
    /** The mail as it goes into the prompt, in accepted order, a blank line between two; empty without mail. */
    get prompt() {
        return this.mail.map((mail) => mail.text).join("\n\n");
    }
    /** What was said of it. */
    get word() {
        return this.#word;
    }
    /** Whether the model shall be asked again. */
    get wantsMore() {
        return this.#wantsMore;
    }
    /** The name of its claim. */
    get claimSeq() {
        return this.#claimSeq;
    }
    /** The claim that the run's next call has to commit, if any. */
    get uncommittedClaimSeq() {
        return this.#word === "kept" ? this.#claimSeq : undefined;
    }
    /**
     * Says that the model's reply is kept, so that the mail counts as read. Safe to repeat.
     *
     * Throws Error after `release()`, and for a turn that is not the run's latest.
     */
    keep() {
        if (this.#word === "released") {
            throw new Error("the turn was given back; it cannot be kept");
        }
        this.#checkLatest();
        if (this.#word === "none") {
            this.#word = "kept";
        }
    }
    /** Says that the reply is kept and the model shall be asked again, whether mail waits or not. Throws as `keep`. */
    more() {
        this.keep();
        this.#wantsMore = true;
    }
    /**
     * Keeps the reply and settles the mail at once, in place of with the run's next call. Safe to repeat.
     *
     * Throws Error as `keep`; RunEnded when the run is over; ClaimLost.
     */
    async commit() {
        this.keep();
        if (this.#word === "kept") {
            await this.#keeper.commitTurn(this.#claimSeq);
            this.committed();
        }
    }
    /**
     * Gives the mail back: it waits again, in its old order, and comes with the next turn. Safe to repeat.
     *
     * `reason` is for people, cut at 1024 bytes. Throws Error after `keep()`, RunEnded when the run is over.
     */
    async release(reason = "") {
        if (this.#word === "kept" || this.#word === "committed") {
            throw new Error("the turn is kept; it cannot be given back");
        }
        if (this.#word === "none") {
            this.#checkLatest();
            await this.#keeper.releaseTurn(this.#claimSeq, reason);
            this.#word = "released";
        }
    }
    /** Notes that a call has carried the commit. */
    committed() {
        this.#word = "committed";
    }
    #checkLatest() {
        if (this.#keeper.turn !== this) {
            throw new Error("the run has gone on; this turn is settled");
        }
    }
}
