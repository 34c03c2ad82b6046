import type { Calls } from "./calls.js";
import type { Offer } from "./records.js";
import { Run } from "./run.js";
/** What a runtime says of itself. */
export interface RuntimeOptions {
    /** The agents that it runs; `*` for all. None: whatever it hosts. */
    readonly agents?: Iterable<string> | undefined;
    /** Be offered every session of these agents, not only those that this token hosts. */
    readonly anySession?: boolean | undefined;
    /** How many runs it holds at once, 1 to 10000; 1 unless said otherwise. */
    readonly slots?: number | undefined;
}
/** What the work of a run is: see `Run` for what becomes of it. */
export type RunBody = (run: Run) => Promise<void>;
/** The runtime was closed while the run was active; the run's signal has it as its reason. */
export declare class RunInterrupted extends Error {
    readonly name = "RunInterrupted";
}
/**
 * An attached runtime; `client.runtime` makes it.
 *
 * It stays attached until it is closed, through restarts of the server and cut connections, and renews the leases of its
 * runs. Closing it breaks off the runs that are still active.
 */
export declare class Runtime implements AsyncDisposable {
    #private;
    /** Its own lasting name. */
    readonly runtimeId: string;
    /** `client.runtime` makes and attaches one. */
    constructor(calls: Calls, 
    /** Its own lasting name. */
    runtimeId: string, options: RuntimeOptions);
    /** Attaches. Throws Forbidden when the id belongs to another token, InvalidRequest, Unreachable. */
    attach(): Promise<void>;
    /** Breaks off the runs that are active, waits for their bodies, but not for ever, and lets go of the attachment. */
    close(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
    /**
     * Returns the offers as they come, for ever. Run each with `run`, or give it back with `decline`.
     *
     * A loop that runs one offer after the other wants one slot; `serve` runs as many at once as there are slots. An offer
     * that lapses or is settled before it is asked for here is dropped. Throws what ended the attachment: RuntimeReplaced,
     * Forbidden, Unauthenticated.
     */
    offers(): AsyncIterableIterator<Offer>;
    /**
     * Gives an offer back: another runtime is offered it first. `reason` is for people, cut at 1024 bytes.
     *
     * It is not offered again before `retryAfterSeconds`, at most an hour. Throws WakeSettled, SessionNotFound.
     */
    decline(offer: Offer, { reason, retryAfterSeconds }?: {
        readonly reason?: string;
        readonly retryAfterSeconds?: number;
    }): Promise<void>;
    /**
     * Starts the run of an offer, hands it to `body`, and ends it by what comes out of that; see `Run`. Returns the ended
     * run. `signal` breaks it off.
     *
     * Throws what the body throws; WakeSettled when another runtime was faster or the wake has lapsed, SessionNotOpen when
     * a person has paused the session meanwhile, and RunEnded when the run was ended by others.
     */
    run(offer: Offer, body: RunBody, { signal }?: {
        readonly signal?: AbortSignal;
    }): Promise<Run>;
    /**
     * Starts a run of a session that this runtime hosts, for a delegator that starts its child; as `run`.
     *
     * It is not counted against the slots before it starts. The same `clientRunId` (1 to 128 bytes) again means the same
     * run: after a crash the run is taken up, once ended it has no turns. Throws RunAlreadyActive, SessionNotOpen,
     * SessionNotFound, RunEnded.
     */
    start(sessionId: string, body: RunBody, { clientRunId, signal }?: {
        readonly clientRunId?: string;
        readonly signal?: AbortSignal;
    }): Promise<Run>;
    /**
     * Runs every offer with `handler`, as many at once as there are slots, until the runtime is closed or `signal` fires,
     * which breaks all these runs off.
     *
     * A handler's exception fails its run, is logged, and stops nothing else. Throws what ended the attachment, as
     * `offers`, once what runs has come to its end.
     */
    serve(handler: RunBody, { signal }?: {
        readonly signal?: AbortSignal;
    }): Promise<void>;
}
