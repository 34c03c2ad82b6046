// The offers of a runtime: those that wait to be asked for, and those that it cannot take.
import { create } from "@bufbuild/protobuf";
import { DeclineWakeRequestSchema } from "@kinpost/protocol";
import { cut } from "./run_calls.js";
import { described } from "./log.js";
import { Change, within } from "./waiting.js";
import { duration } from "./words.js";
// A declined offer that nobody hears of lapses by itself.
const DECLINE_SECONDS = 5;
const NO_SLOT_RETRY_SECONDS = 1;
/** Offers as they come. What the runtime cannot take is declined at once, so that others are asked. */
export class Offers {
    #calls;
    #room;
    #waiting = new Map();
    #taken = new Map();
    #changed = new Change();
    #declining = new Set();
    #failure;
    #closed = false;
    constructor(calls, room) {
        this.#calls = calls;
        this.#room = room;
    }
    [Symbol.asyncIterator]() {
        return this;
    }
    async next() {
        const value = await this.take();
        return value === undefined ? { done: true, value } : { done: false, value };
    }
    /** Returns the next offer; undefined once it is closed, or when the signal fires. Throws what ended the attachment. */
    async take(signal) {
        while (!signal?.aborted) {
            for (const [wakeId, offer] of this.#waiting) {
                this.#waiting.delete(wakeId);
                this.#taken.set(wakeId, offer);
                return offer;
            }
            if (this.#failure !== undefined) {
                throw this.#failure.error;
            }
            if (this.#closed) {
                return undefined;
            }
            await this.#changed.wait(signal);
        }
        return undefined;
    }
    /**
     * Takes in an offer, or gives it back when it cannot be run here.
     *
     * One whose wake is being started here, or is in somebody's hands, comes again when the service has not heard of that
     * yet. It must not have two runs, each of which would think that the other one has crashed.
     */
    put(offer) {
        if (this.#waiting.has(offer.wakeId) || this.#taken.has(offer.wakeId) || this.#closed) {
            return;
        }
        if (this.#room.runsWake(offer.wakeId)) {
            return;
        }
        const { agents, slots, busy } = this.#room;
        if (agents.size > 0 && !agents.has(offer.agent) && !agents.has("*")) {
            this.#declineSoon(offer, `this runtime does not run ${offer.agent}`);
        }
        else if (busy() + this.#waiting.size + this.#taken.size >= slots) {
            this.#declineSoon(offer, "no free slot", NO_SLOT_RETRY_SECONDS);
        }
        else {
            this.#waiting.set(offer.wakeId, offer);
            this.#changed.notify();
        }
    }
    /** Drops an offer that has been withdrawn, declined or started. Safe to repeat. */
    forget(wakeId) {
        this.#waiting.delete(wakeId);
        this.#taken.delete(wakeId);
    }
    /** Drops the offers for a session that has a run here, however that run was started. */
    forgetSession(sessionId) {
        for (const offers of [this.#waiting, this.#taken]) {
            for (const [wakeId, offer] of offers) {
                if (offer.sessionId === sessionId) {
                    offers.delete(wakeId);
                }
            }
        }
    }
    /** Drops what waits: after a cut the service offers anew what it still offers. */
    forgetAll() {
        this.#waiting.clear();
    }
    /** Gives an offer back. Throws WakeSettled, SessionNotFound. */
    async decline(offer, reason, retryAfterSeconds) {
        this.forget(offer.wakeId);
        const request = create(DeclineWakeRequestSchema, {
            sessionId: offer.sessionId,
            wakeId: offer.wakeId,
            reason: cut(reason),
            ...(retryAfterSeconds !== undefined && { retryAfter: duration(retryAfterSeconds) }),
        });
        await this.#calls.unary((options) => this.#calls.runs.declineWake(request, options));
    }
    /** Ends the iteration with an error: there will be no more offers. */
    fail(error) {
        this.#failure = { error };
        this.#changed.notify();
    }
    /** Ends the iteration. */
    close() {
        this.#closed = true;
        this.#waiting.clear();
        this.#changed.notify();
    }
    /** Waits until what is being declined is declined. */
    async settle() {
        await Promise.all(this.#declining);
    }
    #declineSoon(offer, reason, retryAfterSeconds) {
        const late = () => new Error("the service does not answer");
        const declining = within(DECLINE_SECONDS, this.decline(offer, reason, retryAfterSeconds), late)
            .catch((error) => {
            this.#calls.log("info", `wake ${offer.wakeId} could not be declined, it will lapse: ${described(error)}`);
        })
            .finally(() => this.#declining.delete(declining));
        this.#declining.add(declining);
    }
}
