// The leases of a runtime's runs: one Heartbeat renews them all, and tells which of them must stop.
import { RunState, StopReason } from "@kinpost/protocol";
import { KinpostError, RunCancelled, RunLeaseLost, RunNotActive, SessionNotFound } from "./errors.js";
import { described } from "./log.js";
import { sleep } from "./waiting.js";
import { wordOf } from "./words.js";
/** Renews the leases of the runs in `runs`, which the runtime fills, as often as the service wants. */
export class Leases {
    #calls;
    #runtimeId;
    #runs;
    #aborter = new AbortController();
    #intervalSeconds = 15;
    constructor(calls, runtimeId, runs) {
        this.#calls = calls;
        this.#runtimeId = runtimeId;
        this.#runs = runs;
    }
    /** Begins. */
    start() {
        this.#renewAll().catch((error) => {
            if (!this.#aborter.signal.aborted) {
                this.#calls.log("error", "leases are renewed no more", error);
            }
        });
    }
    /** Renews no more. */
    close() {
        this.#aborter.abort();
    }
    /** Sets how often the service wants a Heartbeat. */
    setInterval(seconds) {
        this.#intervalSeconds = seconds;
    }
    /** Returns the runs that the runtime holds. */
    held() {
        return [...this.#runs]
            .filter((run) => run.isActive)
            .map((run) => ({ sessionId: run.identity.sessionId, runId: run.runId }));
    }
    /** Stops a run that the service has ended; with NOT_OPEN it may finish and is only told. */
    stop(runId, reason) {
        for (const run of this.#runs) {
            if (run.runId !== runId) {
                continue;
            }
            if (reason === StopReason.NOT_OPEN) {
                run.stopReason = wordOf(StopReason, reason);
            }
            else {
                run.stop(errorOf(reason));
            }
        }
    }
    async #renewAll() {
        const { signal } = this.#aborter;
        for (;;) {
            await sleep(this.#intervalSeconds, signal);
            this.#calls.channel.check(); // or a program that closed its client, and not its runtime, would never end
            const runs = this.held();
            if (runs.length === 0) {
                continue;
            }
            try {
                const answer = await this.#calls.unary((options) => this.#calls.runs.heartbeat({ runtimeId: this.#runtimeId, runs }, options), { attemptSeconds: Math.max(this.#intervalSeconds, 1), signal });
                for (const lease of answer.runs) {
                    if (lease.stopReason) {
                        this.stop(lease.runId, lease.stopReason);
                    }
                    else if (lease.state === RunState.UNSPECIFIED) {
                        this.stop(lease.runId, StopReason.UNSPECIFIED); // the service knows of no such run
                    }
                }
            }
            catch (error) {
                if (!(error instanceof KinpostError)) {
                    throw error;
                }
                this.#calls.log("warning", `leases could not be renewed: ${described(error)}`);
            }
        }
    }
}
function errorOf(reason) {
    switch (reason) {
        case StopReason.CANCELLED:
            return new RunCancelled();
        case StopReason.LEASE_LOST:
            return new RunLeaseLost();
        case StopReason.DELETED:
            return new SessionNotFound();
        default:
            return new RunNotActive();
    }
}
