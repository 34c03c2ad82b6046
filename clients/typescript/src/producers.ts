// Producers: a plugin's registrations with sessions, and the mail that is sent by them.

import { randomUUID } from "node:crypto";

import { MessageMode } from "@kinpost/protocol";

import type { Calls } from "./calls.js";
import * as convert from "./convert.js";
import type { Accepted, Registration } from "./records.js";
import type { Mode, Said } from "./terms.js";
import { numberOf } from "./words.js";

/**
 * Producers, for a plugin's token; `client.producers` is it.
 *
 * A registration lapses at its `leaseExpireTime` unless it is renewed, by `renew` or by a send. What was sent stays.
 */
export class Producers {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /**
   * Registers this plugin with a session; while it is registered, the same `clientProducerId` (1 to 128 bytes) returns
   * the registration as it was made.
   *
   * Throws Forbidden for a token that is no plugin's, SessionNotFound, TooManyProducers.
   */
  async register(
    sessionId: string,
    clientProducerId: string,
    { description = "" }: { readonly description?: string } = {},
  ): Promise<Registration> {
    const request = { sessionId, clientProducerId, description };
    const answer = await this.#calls.unary((options) => this.#calls.producers.registerProducer(request, options));
    return convert.registration(answer.producer);
  }

  /** Renews registrations, 1000 at most, and returns the ids of those that stand; the others must register again. */
  async renew(producerIds: Iterable<string>): Promise<string[]> {
    const request = { producerIds: [...producerIds] };
    const answer = await this.#calls.unary((options) => this.#calls.producers.renewProducers(request, options));
    return answer.renewedProducerIds;
  }

  /**
   * Stores a message in the session's log and wakes it. `body` is 1 byte to 256 KiB; `description` is for people.
   *
   * The same `idempotencyKey` (1 to 256 bytes) of the same plugin returns the first answer. Throws ProducerNotFound once
   * the registration has ended, InvalidRequest, ProducerInboxFull, IdempotencyConflict.
   */
  async send(
    registration: Pick<Registration, "sessionId" | "producerId">,
    body: string,
    options: { readonly mode?: Said<Mode>; readonly description?: string; readonly idempotencyKey?: string } = {},
  ): Promise<Accepted> {
    const { mode = "steer", description = "", idempotencyKey = randomUUID() } = options;
    const { sessionId, producerId } = registration;
    const request = { sessionId, producerId, idempotencyKey, description, body, mode: numberOf(MessageMode, mode) };
    const answer = await this.#calls.unary((how) => this.#calls.producers.sendProducerMessage(request, how));
    return convert.accepted(answer.accepted);
  }

  /** Discards a message of this plugin that no model request has. Throws MessageNotFound, MessageClaimed. */
  async discard(sessionId: string, messageId: string): Promise<void> {
    const request = { sessionId, messageId };
    await this.#calls.unary((options) => this.#calls.producers.discardProducerMessage(request, options));
  }

  /** Ends a registration; one that has ended stays so. Throws ProducerNotFound. */
  async unregister({ sessionId, producerId }: Pick<Registration, "sessionId" | "producerId">): Promise<void> {
    const request = { sessionId, producerId };
    await this.#calls.unary((options) => this.#calls.producers.unregisterProducer(request, options));
  }

  /** Returns a session's producers in the order of their registration. Throws SessionNotFound. */
  async *list(sessionId: string): AsyncGenerator<Registration, void, void> {
    let pageToken = "";
    do {
      const request = { sessionId, pageToken };
      const page = await this.#calls.unary((options) => this.#calls.producers.listProducers(request, options));
      yield* page.producers.map(convert.registration);
      pageToken = page.nextPageToken;
    } while (pageToken);
  }
}
