// A run as the runtime holds it: its steps, and what ends it.
import { setMaxListeners } from "node:events";
import { RunState as WireOutcome, StopReason as WireStopReason } from "@kinpost/protocol";
import { present } from "./convert.js";
import { ClaimLost, RunCancelled, RunEnded } from "./errors.js";
import { described } from "./log.js";
import { BREAK_OFF_SECONDS, RunCalls } from "./run_calls.js";
import { within } from "./waiting.js";
import { wordOf } from "./words.js";
/** A run's body was left inside a turn of which nothing was said; its mail was given back, the run failed. */
export class TurnLeftOpen extends Error {
    name = "TurnLeftOpen";
}
/** One run of a runtime. Its `outcome` tells how it ended, undefined before. */
export class HeldRun {
    calls;
    identity;
    rootSessionId = "";
    number = 0;
    turn;
    outcome;
    stopReason;
    #aborter = new AbortController();
    #steps;
    #firstClaim;
    #stopped;
    #stopMeanwhile;
    #ending = false;
    constructor(calls, identity) {
        this.calls = calls;
        this.identity = identity;
        setMaxListeners(0, this.#aborter.signal); // each call on its way listens
        this.#steps = new RunCalls(calls, identity, this.#aborter.signal, (ended) => this.#over(ended));
    }
    /** The run's own id; empty before it has started. */
    get runId() {
        return this.#steps.runId;
    }
    /** Fires when the service stops the run, or the program breaks it off. */
    get signal() {
        return this.#aborter.signal;
    }
    /** Whether it has started and not ended, as far as this program knows. */
    get isActive() {
        return this.runId !== "" && this.outcome === undefined && this.#stopped === undefined;
    }
    /** The claim of the latest turn; 0 before the first. */
    get claimSeq() {
        return this.turn?.claimSeq ?? 0n;
    }
    /** The claim that the start has brought; undefined for a run that had ended before. */
    get firstClaim() {
        return this.outcome === undefined ? this.#firstClaim : undefined;
    }
    // What ends it from outside
    /**
     * Stops the run: the service has ended it, and `error` says how. The first stop counts.
     *
     * Not while the run is being ended from here: then it may well have ended, and that call's answer says how. When it
     * says that the run goes on, the stop came after it.
     */
    stop(error) {
        if (this.#ending) {
            this.#stopMeanwhile = error;
        }
        else if (this.isActive) {
            this.#stopped = error;
            this.#aborter.abort(error);
        }
    }
    /** Breaks the run off, as a runtime does that closes: it becomes INTERRUPTED, and its mail waits again. */
    interrupt(reason) {
        this.#aborter.abort(reason);
    }
    /** Throws when the run shall go no further. */
    check() {
        this.signal.throwIfAborted();
    }
    // Its steps
    /** Starts it. Throws WakeSettled, SessionNotOpen, SessionNotFound, RunAlreadyActive, RunEnded. */
    async start() {
        const started = await this.#steps.start();
        const run = present(started.run);
        this.rootSessionId = run.rootSessionId;
        this.number = run.number;
        if (run.state !== WireOutcome.ACTIVE) {
            this.outcome = wordOf(WireOutcome, run.state); // a start repeated after the run's end
        }
        else {
            this.#firstClaim = started.claim ?? (await this.#claim());
        }
    }
    /** Commits the turn and claims for the next one, in one call; undefined when the run has ended instead. */
    async nextClaim(turn) {
        this.check();
        if (turn.wantsMore || turn.word === "released") {
            return await this.#claim();
        }
        return await this.#finish("completed", "", true);
    }
    /** Settles a claim at once. */
    async commitTurn(claimSeq) {
        await this.#steps.commit(claimSeq);
    }
    /** Gives a claim back. */
    async releaseTurn(claimSeq, reason) {
        await this.#steps.release(claimSeq, reason);
    }
    /** Does something of the run's, and notes when it learns that the run is over. */
    async noting(work) {
        return await this.#steps.noting(work);
    }
    // Its end
    /** Ends the run by what came out of its body. Throws what the service stopped it with; TurnLeftOpen. */
    async leave(thrown) {
        if (this.#stopped !== undefined) {
            this.#over(this.#stopped);
            throw this.#stopped;
        }
        if (this.outcome !== undefined) {
            return;
        }
        if (thrown === undefined) {
            await this.#leaveNormally();
        }
        else if (this.signal.aborted) {
            await this.#breakOff("interrupted", "its runtime gave it up");
        }
        else {
            await this.#breakOff("failed", described(thrown.error));
        }
    }
    async #claim() {
        const { turn } = this;
        const committing = turn?.uncommittedClaimSeq;
        const answer = await this.#steps.claim(committing);
        if (committing !== undefined) {
            turn?.committed();
        }
        if (answer.stopReason) {
            this.stopReason = wordOf(WireStopReason, answer.stopReason);
        }
        return present(answer.claim);
    }
    async #leaveNormally() {
        if (this.turn === undefined && this.#firstClaim !== undefined) {
            await this.releaseTurn(this.#firstClaim.claimSeq, "the run was left without a turn"); // nobody asked for it
        }
        if (this.turn?.word === "none") {
            const { number } = this.turn;
            await this.#breakOff("failed", "left inside a turn of which nothing was said");
            throw new TurnLeftOpen(`turn ${number}: call keep() or more() before leaving the loop, or await release()`);
        }
        await this.#finish("completed", "", false);
    }
    /** Ends the run other than COMPLETED; when that fails its lease will end it. */
    async #breakOff(outcome, reason) {
        const end = async () => {
            try {
                await this.#finish(outcome, reason, false);
            }
            catch (error) {
                if (!(error instanceof ClaimLost)) {
                    throw error;
                }
                this.turn = undefined; // what the last turn said does not count any more
                await this.#finish(outcome, reason, false);
            }
        };
        try {
            await within(BREAK_OFF_SECONDS, end(), () => new Error("the service does not answer"));
        }
        catch (error) {
            if (!(error instanceof RunEnded)) {
                this.outcome ??= outcome;
                this.calls.log("warning", `run ${this.runId} could not be ended, its lease will: ${described(error)}`);
            }
        }
    }
    async #finish(outcome, reason, goOn) {
        const { turn } = this;
        const committing = turn?.uncommittedClaimSeq;
        this.#ending = true;
        let result;
        try {
            ({ result } = await this.#steps.finish(outcome, reason, committing, goOn));
        }
        finally {
            this.#ending = false;
        }
        if (committing !== undefined) {
            turn?.committed();
        }
        if (result.case === "claim") {
            if (this.#stopMeanwhile !== undefined) {
                this.stop(this.#stopMeanwhile);
                this.check();
            }
            return result.value;
        }
        this.outcome = wordOf(WireOutcome, present(result.value).state);
        return undefined;
    }
    #over(error) {
        this.outcome ??= error instanceof RunCancelled ? "cancelled" : "interrupted";
    }
}
