import { StopReason } from "@kinpost/protocol";
import type { Calls } from "./calls.js";
import type { HeldRun } from "./held_run.js";
/** Renews the leases of the runs in `runs`, which the runtime fills, as often as the service wants. */
export declare class Leases {
    #private;
    constructor(calls: Calls, runtimeId: string, runs: Iterable<HeldRun>);
    /** Begins. */
    start(): void;
    /** Renews no more. */
    close(): void;
    /** Sets how often the service wants a Heartbeat. */
    setInterval(seconds: number): void;
    /** Returns the runs that the runtime holds. */
    held(): {
        sessionId: string;
        runId: string;
    }[];
    /** Stops a run that the service has ended; with NOT_OPEN it may finish and is only told. */
    stop(runId: string, reason: StopReason): void;
}
