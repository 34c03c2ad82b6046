import type { Calls } from "./calls.js";
import type { Offer } from "./records.js";
/** What a runtime can take. */
export interface Room {
    readonly agents: ReadonlySet<string>;
    readonly slots: number;
    /** How many runs there are. */
    busy(): number;
    /** Whether a run of this wake is here, be it just being started. */
    runsWake(wakeId: string): boolean;
}
/** Offers as they come. What the runtime cannot take is declined at once, so that others are asked. */
export declare class Offers implements AsyncIterableIterator<Offer> {
    #private;
    constructor(calls: Calls, room: Room);
    [Symbol.asyncIterator](): this;
    next(): Promise<IteratorResult<Offer, undefined>>;
    /** Returns the next offer; undefined once it is closed, or when the signal fires. Throws what ended the attachment. */
    take(signal?: AbortSignal): Promise<Offer | undefined>;
    /**
     * Takes in an offer, or gives it back when it cannot be run here.
     *
     * One whose wake is being started here, or is in somebody's hands, comes again when the service has not heard of that
     * yet. It must not have two runs, each of which would think that the other one has crashed.
     */
    put(offer: Offer): void;
    /** Drops an offer that has been withdrawn, declined or started. Safe to repeat. */
    forget(wakeId: string): void;
    /** Drops the offers for a session that has a run here, however that run was started. */
    forgetSession(sessionId: string): void;
    /** Drops what waits: after a cut the service offers anew what it still offers. */
    forgetAll(): void;
    /** Gives an offer back. Throws WakeSettled, SessionNotFound. */
    decline(offer: Offer, reason: string, retryAfterSeconds?: number): Promise<void>;
    /** Ends the iteration with an error: there will be no more offers. */
    fail(error: unknown): void;
    /** Ends the iteration. */
    close(): void;
    /** Waits until what is being declined is declined. */
    settle(): Promise<void>;
}
