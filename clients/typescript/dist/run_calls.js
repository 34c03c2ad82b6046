// The calls of one run. Each carries its identity, so that it counts once however often it is sent.
import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { ClaimMessagesRequestSchema, FinishRunRequestSchema, StartRunRequestSchema, RunState as WireOutcome, } from "@kinpost/protocol";
import { ClaimLost, RunEnded } from "./errors.js";
import { afterwards } from "./waiting.js";
import { numberOf } from "./words.js";
const REASON_BYTES_MAX = 1024;
/** How long ending a run that failed or was broken off may take; then its lease lapses by itself. */
export const BREAK_OFF_SECONDS = 5;
/** Calls for a session's run; `runId` is known once it has started. `over` is told when one finds the run ended. */
export class RunCalls {
    runId = "";
    #calls;
    #identity;
    #signal;
    #over;
    constructor(calls, identity, signal, over) {
        this.#calls = calls;
        this.#identity = identity;
        this.#signal = signal;
        this.#over = over;
    }
    /** Starts the run, and claims its first mail. */
    async start() {
        const { runtimeId, sessionId, offer, clientRunId } = this.#identity;
        const request = create(StartRunRequestSchema, {
            sessionId,
            runtimeId,
            attemptId: randomUUID(),
            identity: offer ? { case: "wakeId", value: offer.wakeId } : { case: "clientRunId", value: clientRunId },
        });
        const start = (options) => this.#calls.runs.startRun(request, options);
        let started;
        try {
            started = await this.#step(start);
        }
        catch (error) {
            if (!(error instanceof ClaimLost)) {
                throw error;
            }
            // The same start went further before a crash: take the run up where it stands.
            request.attemptId = "";
            started = await this.#step(start);
        }
        this.runId = started.run?.runId ?? "";
        return started;
    }
    /** Commits a claim, if named, and claims for the next model request. */
    async claim(commitClaimSeq) {
        const request = create(ClaimMessagesRequestSchema, { ...this.#name(), attemptId: randomUUID() });
        if (commitClaimSeq !== undefined) {
            request.commitClaimSeq = commitClaimSeq;
        }
        return await this.#step((options) => this.#calls.runs.claimMessages(request, options));
    }
    /** Settles a claim at once. */
    async commit(claimSeq) {
        await this.#step((options) => this.#calls.runs.commitTurn({ ...this.#name(), claimSeq }, options));
    }
    /** Gives a claim back. */
    async release(claimSeq, reason) {
        const request = { ...this.#name(), claimSeq, reason: cut(reason) };
        await this.#step((options) => this.#calls.runs.releaseClaim(request, options));
    }
    /** Commits a claim, if named, and ends the run, or goes on with steer mail that has come meanwhile. */
    async finish(outcome, reason, commitClaimSeq, goOn) {
        const request = create(FinishRunRequestSchema, {
            ...this.#name(),
            outcome: numberOf(WireOutcome, outcome),
            reason: cut(reason),
            continueAttemptId: goOn ? randomUUID() : "",
        });
        if (commitClaimSeq !== undefined) {
            request.commitClaimSeq = commitClaimSeq;
        }
        return await this.#step((options) => this.#calls.runs.finishRun(request, options));
    }
    /** Does something of the run's, and tells when it learns that the run is over. */
    async noting(work) {
        try {
            return await work;
        }
        catch (error) {
            if (error instanceof RunEnded) {
                this.#over(error);
            }
            throw error;
        }
    }
    /** Takes a step whose answer counts: breaking the run off cuts it short only after a while. */
    async #step(call) {
        const { signal, done } = afterwards(this.#signal, BREAK_OFF_SECONDS);
        try {
            return await this.noting(this.#calls.unary(call, { signal }));
        }
        finally {
            done();
        }
    }
    #name() {
        return { sessionId: this.#identity.sessionId, runId: this.runId };
    }
}
/** Returns the text, cut to what a reason may be: 1024 bytes of UTF-8. */
export function cut(text) {
    const bytes = Buffer.from(text, "utf8");
    let length = Math.min(bytes.length, REASON_BYTES_MAX);
    // No character is cut through: the bytes 10xxxxxx go on with the one before them.
    while (length < bytes.length && ((bytes[length] ?? 0) & 0xc0) === 0x80) {
        length -= 1;
    }
    return bytes.toString("utf8", 0, length);
}
