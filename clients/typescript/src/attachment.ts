// A runtime's attachment: the stream that brings offers and stops, opened again whenever it breaks.

import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type AttachRuntimeRequestSchema,
  type AttachRuntimeResponse,
  type RuntimeAttached,
  StopReason,
} from "@kinpost/protocol";

import type { Calls } from "./calls.js";
import * as convert from "./convert.js";
import { KinpostError, Unreachable } from "./errors.js";
import type { Leases } from "./leases.js";
import { described } from "./log.js";
import type { Offers } from "./offers.js";
import { Delays } from "./retry.js";
import { sleep, within } from "./waiting.js";
import { kinpostError } from "./wire_errors.js";
import { seconds } from "./words.js";

// The service says that the stream lives as often as it wants heartbeats; after three silent intervals, and a little for
// a slow machine, it does not.
const SILENT_INTERVALS_MAX = 3;
const SILENCE_SPARE_SECONDS = 5;
const FIRST_MESSAGE_SECONDS = 10;

/** Keeps a runtime attached until it is closed, or until the service refuses it for good. */
export class Attachment {
  readonly #calls: Calls;
  readonly #offers: Offers;
  readonly #leases: Leases;
  readonly #request: () => MessageInitShape<typeof AttachRuntimeRequestSchema>;
  readonly #closing = new AbortController();
  #silenceSeconds = FIRST_MESSAGE_SECONDS;
  #attached: () => void = () => {};
  #refused: (error: unknown) => void = () => {};

  constructor(
    calls: Calls,
    offers: Offers,
    leases: Leases,
    request: () => MessageInitShape<typeof AttachRuntimeRequestSchema>,
  ) {
    this.#calls = calls;
    this.#offers = offers;
    this.#leases = leases;
    this.#request = request;
  }

  /**
   * Attaches, and stays so. Throws what the service refuses the attachment with.
   *
   * An unreachable service is waited for as long as any call is repeated.
   */
  async start(): Promise<void> {
    const attached = new Promise<void>((resolve, reject) => {
      this.#attached = resolve;
      this.#refused = reject;
    });
    this.#stayAttached().catch((error: unknown) => this.#end(error));
    try {
      const patience = this.#calls.retry.giveUpSeconds + FIRST_MESSAGE_SECONDS;
      await within(patience, attached, () => new Unreachable());
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Lets go of the attachment: the service offers its sessions to others. */
  close(): void {
    this.#closing.abort();
  }

  /** Attaches again and again. Throws what ends the attachment for good. */
  async #stayAttached(): Promise<void> {
    const delays = new Delays(this.#calls.retry);
    for (;;) {
      const { replica } = this.#calls.channel;
      let failure: unknown;
      try {
        await this.#attach();
        failure = new Unreachable("the service ended the attachment without saying why");
      } catch (error) {
        failure = kinpostError(error);
      }
      if (this.#closing.signal.aborted) {
        return;
      }
      this.#calls.channel.check();
      const asked = this.#calls.channel.leave(replica, failure);
      if (!(failure instanceof KinpostError) || !failure.transient) {
        throw failure;
      }
      if (this.#silenceSeconds !== FIRST_MESSAGE_SECONDS) {
        this.#silenceSeconds = FIRST_MESSAGE_SECONDS; // it stood meanwhile
        delays.reset();
      }
      this.#calls.log("info", `attaching again: ${described(failure)}`);
      await sleep(Math.max(delays.next(), asked), this.#closing.signal).catch(() => {});
      if (this.#closing.signal.aborted) {
        return;
      }
    }
  }

  /** Attaches once and follows the stream to its end. Throws Unreachable when it falls silent. */
  async #attach(): Promise<void> {
    const aborter = new AbortController();
    const stop = () => aborter.abort();
    this.#closing.signal.addEventListener("abort", stop, { once: true });
    const late = () => new Unreachable(`${Unreachable.CODE}: the attachment has fallen silent`);
    try {
      const stream = this.#calls.runs.attachRuntime(this.#request(), { signal: aborter.signal });
      const notices = stream[Symbol.asyncIterator]();
      for (;;) {
        const notice = await within(this.#silenceSeconds, notices.next(), late);
        if (notice.done) {
          return;
        }
        this.#heed(notice.value);
      }
    } finally {
      this.#closing.signal.removeEventListener("abort", stop);
      stop();
    }
  }

  #heed({ message }: AttachRuntimeResponse): void {
    switch (message.case) {
      case "attached":
        this.#stands(message.value);
        break;
      case "wakeOffer":
        this.#offers.put(convert.offer(message.value));
        break;
      case "wakeWithdrawn":
        this.#offers.forget(message.value.wakeId);
        break;
      case "runStop":
        this.#leases.stop(message.value.runId, message.value.reason);
        break;
      default: // a heartbeat, or what a newer service says
    }
  }

  #stands(attached: RuntimeAttached): void {
    const interval = seconds(attached.heartbeatInterval);
    this.#silenceSeconds = SILENT_INTERVALS_MAX * interval + SILENCE_SPARE_SECONDS;
    this.#leases.setInterval(interval);
    this.#offers.forgetAll();
    for (const stopped of attached.stoppedRuns) {
      // An outcome of its own making is no reason to stop; one that is named is.
      this.#leases.stop(stopped.runId, stopped.reason || StopReason.LEASE_LOST);
    }
    this.#attached();
  }

  #end(error: unknown): void {
    this.#calls.log("warning", `the attachment is over: ${described(error)}`);
    this.#offers.fail(error);
    this.#refused(error);
  }
}
