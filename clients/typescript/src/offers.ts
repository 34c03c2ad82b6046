// The offers of a runtime: those that wait to be asked for, and those that it cannot take.

import { create } from "@bufbuild/protobuf";
import { DeclineWakeRequestSchema } from "@kinpost/protocol";

import type { Calls } from "./calls.js";
import { cut } from "./run_calls.js";
import { described } from "./log.js";
import type { Offer } from "./records.js";
import { Change, within } from "./waiting.js";
import { duration } from "./words.js";

// A declined offer that nobody hears of lapses by itself.
const DECLINE_SECONDS = 5;
const NO_SLOT_RETRY_SECONDS = 1;

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
export class Offers implements AsyncIterableIterator<Offer> {
  readonly #calls: Calls;
  readonly #room: Room;
  readonly #waiting = new Map<string, Offer>();
  readonly #taken = new Map<string, Offer>();
  readonly #changed = new Change();
  readonly #declining = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;
  #closed = false;

  constructor(calls: Calls, room: Room) {
    this.#calls = calls;
    this.#room = room;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Offer, undefined>> {
    const value = await this.take();
    return value === undefined ? { done: true, value } : { done: false, value };
  }

  /** Returns the next offer; undefined once it is closed, or when the signal fires. Throws what ended the attachment. */
  async take(signal?: AbortSignal): Promise<Offer | undefined> {
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
  put(offer: Offer): void {
    if (this.#waiting.has(offer.wakeId) || this.#taken.has(offer.wakeId) || this.#closed) {
      return;
    }
    if (this.#room.runsWake(offer.wakeId)) {
      return;
    }
    const { agents, slots, busy } = this.#room;
    if (agents.size > 0 && !agents.has(offer.agent) && !agents.has("*")) {
      this.#declineSoon(offer, `this runtime does not run ${offer.agent}`);
    } else if (busy() + this.#waiting.size + this.#taken.size >= slots) {
      this.#declineSoon(offer, "no free slot", NO_SLOT_RETRY_SECONDS);
    } else {
      this.#waiting.set(offer.wakeId, offer);
      this.#changed.notify();
    }
  }

  /** Drops an offer that has been withdrawn, declined or started. Safe to repeat. */
  forget(wakeId: string): void {
    this.#waiting.delete(wakeId);
    this.#taken.delete(wakeId);
  }

  /** Drops the offers for a session that has a run here, however that run was started. */
  forgetSession(sessionId: string): void {
    for (const offers of [this.#waiting, this.#taken]) {
      for (const [wakeId, offer] of offers) {
        if (offer.sessionId === sessionId) {
          offers.delete(wakeId);
        }
      }
    }
  }

  /** Drops what waits: after a cut the service offers anew what it still offers. */
  forgetAll(): void {
    this.#waiting.clear();
  }

  /** Gives an offer back. Throws WakeSettled, SessionNotFound. */
  async decline(offer: Offer, reason: string, retryAfterSeconds?: number): Promise<void> {
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
  fail(error: unknown): void {
    this.#failure = { error };
    this.#changed.notify();
  }

  /** Ends the iteration. */
  close(): void {
    this.#closed = true;
    this.#waiting.clear();
    this.#changed.notify();
  }

  /** Waits until what is being declined is declined. */
  async settle(): Promise<void> {
    await Promise.all(this.#declining);
  }

  #declineSoon(offer: Offer, reason: string, retryAfterSeconds?: number): void {
    const late = () => new Error("the service does not answer");
    const declining: Promise<void> = within(DECLINE_SECONDS, this.decline(offer, reason, retryAfterSeconds), late)
      .catch((error: unknown) => {
        this.#calls.log("info", `wake ${offer.wakeId} could not be declined, it will lapse: ${described(error)}`);
      })
      .finally(() => this.#declining.delete(declining));
    this.#declining.add(declining);
  }
}
