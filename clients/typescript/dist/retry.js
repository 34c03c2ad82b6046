// How often, how fast and how long a call is repeated.
/** The patience of a client that is told nothing else. */
export const PATIENCE = { firstSeconds: 0.05, maxSeconds: 2, giveUpSeconds: 60, attemptSeconds: 10 };
/** The waits between attempts, in seconds, one after the other. */
export class Delays {
    #retry;
    #longest;
    constructor(retry) {
        this.#retry = retry;
        this.#longest = retry.firstSeconds;
    }
    /** Returns the next wait, in seconds. */
    next() {
        const longest = this.#longest;
        this.#longest = Math.min(longest * 2, this.#retry.maxSeconds);
        return longest * (0.5 + Math.random() / 2);
    }
    /** Begins anew, after a success. */
    reset() {
        this.#longest = this.#retry.firstSeconds;
    }
}
