// A runtime: a program that hosts agents. It is offered sessions that have mail, and runs them.
import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { SessionScope } from "@kinpost/protocol";
import { Attachment } from "./attachment.js";
import { RunEnded, SessionNotFound, SessionNotOpen, WakeSettled } from "./errors.js";
import { HeldRun } from "./held_run.js";
import { Leases } from "./leases.js";
import { described } from "./log.js";
import { Offers } from "./offers.js";
import { Run } from "./run.js";
import { BREAK_OFF_SECONDS } from "./run_calls.js";
import { Change, within } from "./waiting.js";
/** The runtime was closed while the run was active; the run's signal has it as its reason. */
export class RunInterrupted extends Error {
    name = "RunInterrupted";
}
// Nobody's fault, and no reason to stop serving: the run was another's, or is over.
const EXPECTED = [WakeSettled, RunEnded, SessionNotOpen, SessionNotFound];
/**
 * An attached runtime; `client.runtime` makes it.
 *
 * It stays attached until it is closed, through restarts of the server and cut connections, and renews the leases of its
 * runs. Closing it breaks off the runs that are still active.
 */
export class Runtime {
    runtimeId;
    #calls;
    #runs = new Set();
    #left = new Change();
    #offers;
    #leases;
    #attachment;
    /** `client.runtime` makes and attaches one. */
    constructor(calls, 
    /** Its own lasting name. */
    runtimeId, options) {
        this.runtimeId = runtimeId;
        const agents = new Set(options.agents);
        const slots = options.slots ?? 1;
        this.#calls = calls;
        this.#offers = new Offers(calls, {
            agents,
            slots,
            busy: () => this.#runs.size,
            runsWake: (wakeId) => [...this.#runs].some((held) => held.identity.offer?.wakeId === wakeId),
        });
        this.#leases = new Leases(calls, runtimeId, this.#runs);
        this.#attachment = new Attachment(calls, this.#offers, this.#leases, () => ({
            runtimeId,
            agents: [...agents].sort(),
            sessionScope: options.anySession ? SessionScope.ANY : SessionScope.OWN,
            runSlotsMax: slots,
            heldRuns: this.#leases.held(),
        }));
    }
    /** Attaches. Throws Forbidden when the id belongs to another token, InvalidRequest, Unreachable. */
    async attach() {
        await this.#attachment.start();
        this.#leases.start();
    }
    /** Breaks off the runs that are active, waits for their bodies, but not for ever, and lets go of the attachment. */
    async close() {
        this.#offers.close();
        for (const run of this.#runs) {
            run.interrupt(new RunInterrupted("the runtime was closed"));
        }
        const idle = async () => {
            while (this.#runs.size > 0) {
                await this.#left.wait();
            }
        };
        await within(2 * BREAK_OFF_SECONDS, idle(), () => "late").catch(() => { });
        this.#attachment.close();
        this.#leases.close();
        await this.#offers.settle();
    }
    async [Symbol.asyncDispose]() {
        await this.close();
    }
    /**
     * Returns the offers as they come, for ever. Run each with `run`, or give it back with `decline`.
     *
     * A loop that runs one offer after the other wants one slot; `serve` runs as many at once as there are slots. An offer
     * that lapses or is settled before it is asked for here is dropped. Throws what ended the attachment: RuntimeReplaced,
     * Forbidden, Unauthenticated.
     */
    offers() {
        return this.#offers;
    }
    /**
     * Gives an offer back: another runtime is offered it first. `reason` is for people, cut at 1024 bytes.
     *
     * It is not offered again before `retryAfterSeconds`, at most an hour. Throws WakeSettled, SessionNotFound.
     */
    async decline(offer, { reason = "", retryAfterSeconds } = {}) {
        await this.#offers.decline(offer, reason, retryAfterSeconds);
    }
    /**
     * Starts the run of an offer, hands it to `body`, and ends it by what comes out of that; see `Run`. Returns the ended
     * run. `signal` breaks it off.
     *
     * Throws what the body throws; WakeSettled when another runtime was faster or the wake has lapsed, SessionNotOpen when
     * a person has paused the session meanwhile, and RunEnded when the run was ended by others.
     */
    async run(offer, body, { signal } = {}) {
        const { runtimeId } = this;
        return await this.#live({ runtimeId, sessionId: offer.sessionId, offer, clientRunId: "" }, body, signal);
    }
    /**
     * Starts a run of a session that this runtime hosts, for a delegator that starts its child; as `run`.
     *
     * It is not counted against the slots before it starts. The same `clientRunId` (1 to 128 bytes) again means the same
     * run: after a crash the run is taken up, once ended it has no turns. Throws RunAlreadyActive, SessionNotOpen,
     * SessionNotFound, RunEnded.
     */
    async start(sessionId, body, { clientRunId, signal } = {}) {
        const { runtimeId } = this;
        const identity = { runtimeId, sessionId, offer: undefined, clientRunId: clientRunId ?? randomUUID() };
        return await this.#live(identity, body, signal);
    }
    /**
     * Runs every offer with `handler`, as many at once as there are slots, until the runtime is closed or `signal` fires,
     * which breaks all these runs off.
     *
     * A handler's exception fails its run, is logged, and stops nothing else. Throws what ended the attachment, as
     * `offers`, once what runs has come to its end.
     */
    async serve(handler, { signal } = {}) {
        const running = new Set();
        const aborter = new AbortController();
        setMaxListeners(0, aborter.signal); // each run listens
        const stop = () => aborter.abort(signal?.reason);
        signal?.addEventListener("abort", stop, { once: true });
        if (signal?.aborted) {
            stop();
        }
        try {
            for (;;) {
                const offer = await this.#offers.take(aborter.signal);
                if (offer === undefined) {
                    return;
                }
                const handling = this.#handle(offer, handler, aborter.signal).finally(() => running.delete(handling));
                running.add(handling);
            }
        }
        finally {
            await Promise.all(running); // its leases are renewed all the same
            signal?.removeEventListener("abort", stop);
        }
    }
    async #handle(offer, handler, signal) {
        try {
            await this.run(offer, handler, { signal });
        }
        catch (error) {
            if (error instanceof RunInterrupted || signal.aborted || EXPECTED.some((known) => error instanceof known)) {
                this.#calls.log("info", `the run of session ${offer.sessionId} is over: ${described(error)}`);
            }
            else {
                this.#calls.log("error", `the run of session ${offer.sessionId} failed`, error);
            }
        }
    }
    /** Lets a run live, from its start to its end. */
    async #live(identity, body, signal) {
        signal?.throwIfAborted();
        const held = new HeldRun(this.#calls, identity);
        this.#runs.add(held);
        if (identity.offer !== undefined) {
            this.#offers.forget(identity.offer.wakeId);
        }
        const interrupt = () => held.interrupt(signal?.reason);
        signal?.addEventListener("abort", interrupt, { once: true });
        try {
            await held.start();
            this.#offers.forgetSession(identity.sessionId); // it has its run
            const run = new Run(held);
            let thrown;
            try {
                held.check();
                await body(run);
            }
            catch (error) {
                thrown = { error };
            }
            await held.leave(thrown);
            if (thrown !== undefined) {
                throw thrown.error;
            }
            return run;
        }
        finally {
            signal?.removeEventListener("abort", interrupt);
            this.#runs.delete(held);
            this.#left.notify();
        }
    }
}
