// A subscription: stored events first, then live ones, with neither hole nor repeat, through restarts and cuts.

import type { SubscribeEventsRequest, SubscribeEventsResponse } from "@kinpost/protocol";

import type { Calls } from "./calls.js";
import { KinpostError, Unreachable } from "./errors.js";
import { type Event, eventOf } from "./events.js";
import { described } from "./log.js";
import type { Replica } from "./replicas.js";
import { Delays } from "./retry.js";
import { sleep } from "./waiting.js";
import { kinpostError } from "./wire_errors.js";

/**
 * Events, for ever; `client.subscribe` makes it. Use it in a `for await` loop: leaving the loop ends the stream, another
 * loop goes on where that one ended.
 *
 * It outlives the server: after a cut it goes on behind the last event that it has. Throws what repeating does not help:
 * SessionNotFound, Forbidden, Unauthenticated, OtherLog, CursorOutOfRange, CursorExpired, InvalidRequest.
 */
export class Subscription implements AsyncIterable<Event>, AsyncDisposable {
  /**
   * Stands behind the last frame of which every event was handed out and the next one was asked for: what to continue
   * from in another process. Empty before the first.
   */
  cursor: string;
  /** Whether everything that was stored has come. */
  caughtUp = false;
  readonly #calls: Calls;
  readonly #request: SubscribeEventsRequest;
  readonly #events: Event[] = [];
  #nextCursor: string;
  #frames: AsyncIterator<SubscribeEventsResponse> | undefined;
  #replica: Replica; // whose frames they are
  #aborter = new AbortController();

  constructor(calls: Calls, request: SubscribeEventsRequest) {
    this.#calls = calls;
    this.#replica = calls.channel.replica;
    this.#request = request;
    this.cursor = this.#nextCursor = request.start.case === "afterCursor" ? request.start.value : "";
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void, void> {
    if (this.#aborter.signal.aborted) {
      this.#aborter = new AbortController();
    }
    const { signal } = this.#aborter;
    try {
      for (;;) {
        for (let event = this.#events.shift(); event !== undefined; event = this.#events.shift()) {
          yield event;
        }
        // What came of the last frame has been seen: the cursor now stands behind it.
        this.cursor = this.#nextCursor;
        const frame = await this.#read(signal);
        if (frame === undefined) {
          return;
        }
        this.#take(frame);
      }
    } finally {
      if (this.#aborter.signal === signal) {
        this.close();
      }
    }
  }

  /** Ends the stream, and the loop that goes through it. */
  close(): void {
    this.#frames = undefined;
    this.#aborter.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  /** Returns the next frame, however often the stream has to be opened for it; undefined once it is closed. */
  async #read(signal: AbortSignal): Promise<SubscribeEventsResponse | undefined> {
    const delays = new Delays(this.#calls.retry);
    for (;;) {
      if (signal.aborted) {
        return undefined;
      }
      this.#calls.channel.check();
      let failure: unknown;
      try {
        this.#frames ??= this.#open(signal);
        const next = await this.#frames.next();
        if (!next.done) {
          return next.value;
        }
        failure = new Unreachable("the service ended the stream without saying why");
      } catch (error) {
        failure = kinpostError(error);
      }
      if (signal.aborted) {
        return undefined;
      }
      this.#frames = undefined;
      const asked = this.#calls.channel.leave(this.#replica, failure);
      if (!(failure instanceof KinpostError) || !failure.transient) {
        throw failure;
      }
      this.#calls.log("info", `subscribing again: ${described(failure)}`);
      await sleep(Math.max(delays.next(), asked), signal).catch(() => {});
    }
  }

  #open(signal: AbortSignal): AsyncIterator<SubscribeEventsResponse> {
    this.#replica = this.#calls.channel.replica;
    return this.#calls.events.subscribeEvents(this.#request, { signal })[Symbol.asyncIterator]();
  }

  #take(frame: SubscribeEventsResponse): void {
    this.#events.push(...frame.events.map(eventOf));
    this.caughtUp = frame.caughtUp || (this.caughtUp && frame.heartbeat);
    if (frame.cursor) {
      this.#nextCursor = frame.cursor;
      this.#request.start = { case: "afterCursor", value: frame.cursor };
    }
  }
}
