// How often, how fast and how long a call is repeated.

/**
 * The patience of a client. All values are seconds, above 0.
 *
 * A call that fails with something transient is repeated with the same identity, so that it is carried out once however
 * often it is sent. Waits grow by doubling, each shortened by up to a half at random, and are never shorter than what
 * the server asked for.
 */
export interface Retry {
  /** The longest first wait. */
  readonly firstSeconds: number;
  /** Waits grow up to this. */
  readonly maxSeconds: number;
  /** After so long the last failure is thrown; 0 repeats nothing. */
  readonly giveUpSeconds: number;
  /** How long one attempt may take. */
  readonly attemptSeconds: number;
}

/** The patience of a client that is told nothing else. */
export const PATIENCE: Retry = { firstSeconds: 0.05, maxSeconds: 2, giveUpSeconds: 60, attemptSeconds: 10 };

/** The waits between attempts, in seconds, one after the other. */
export class Delays {
  readonly #retry: Retry;
  #longest: number;

  constructor(retry: Retry) {
    this.#retry = retry;
    this.#longest = retry.firstSeconds;
  }

  /** Returns the next wait, in seconds. */
  next(): number {
    const longest = this.#longest;
    this.#longest = Math.min(longest * 2, this.#retry.maxSeconds);
    return longest * (0.5 + Math.random() / 2);
  }

  /** Begins anew, after a success. */
  reset(): void {
    this.#longest = this.#retry.firstSeconds;
  }
}
