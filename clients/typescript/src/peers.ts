// Peer mail: a session writes to any other, and reads back what it sent.

import { randomUUID } from "node:crypto";

import * as wire from "@kinpost/protocol";

import type { Calls } from "./calls.js";
import { present } from "./convert.js";
import { InvalidPayload } from "./peer_errors.js";
import type { DeadLetter, PeerBody, PeerDelivery, PeerResult, SentPeerMessage, SentPeerMessages } from "./peer_records.js";
import { isWhole, NOT_WHOLE } from "./whole_text.js";
import { instant, instantIfAny, wordOf } from "./words.js";

/** What every way of sending may say beside its text. */
export interface PeerWish {
  /** A summary of 1 to 600 characters, which is what the recipient's model reads. */
  readonly tldr?: string | undefined;
  /** At most 256 bytes; made here when you give none. */
  readonly clientRequestId?: string | undefined;
}

/** What a message to sessions that may sleep can say. */
export interface PeerSend extends PeerWish {
  /** Wakes who sleeps. */
  readonly confirmInactiveTarget?: boolean;
}

/**
 * Mail to any session, on the authority of the token; `client.peers` is it.
 *
 * `sourceSessionId` is the sender, which the token must be allowed to act for. `text` is 1 to 32,000 characters, counted
 * in Unicode code points; past 1000 it needs `tldr`. Within ten minutes the same `clientRequestId` again returns the
 * first answer, whatever its text. Sends throw InvalidPayload, TldrRequired, RateLimited, TargetNotFound, UserClosed,
 * NeedsConfirmation, TurnInFlight, DuplicateInFlight, WakeFailed, SendFailed, Forbidden.
 */
export class Peers {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /**
   * Delivers a message; a busy target takes it at its turn boundary, a paused one is held.
   *
   * `confirmInterruptTurn` ends the target's run in place of queueing; `allowReopenUserClosed` opens what a person
   * closed (admins only); `queueIfLimited` parks the message when the token's budget is spent.
   */
  async send(
    sourceSessionId: string,
    sessionId: string,
    text: string,
    wishes: PeerSend & {
      readonly confirmInterruptTurn?: boolean;
      readonly allowReopenUserClosed?: boolean;
      readonly queueIfLimited?: boolean;
    } = {},
  ): Promise<PeerDelivery> {
    const request = { ...said(sourceSessionId, text, wishes), sessionId };
    const answer = await this.#calls.unary((options) => this.#calls.peers.sendPeerMessage(request, options));
    return delivery(answer.delivery);
  }

  /** Delivers the same to 1 to 100 targets: a result for each, in their order. Throws what refuses the whole. */
  async broadcast(
    sourceSessionId: string,
    sessionIds: Iterable<string>,
    text: string,
    wishes: PeerSend = {},
  ): Promise<PeerResult[]> {
    const request = { ...said(sourceSessionId, text, wishes), sessionIds: [...sessionIds] };
    const answer = await this.#calls.unary((options) => this.#calls.peers.broadcastPeerMessage(request, options));
    return answer.results.map((result) => ({
      sessionId: result.sessionId,
      delivery: result.delivery && delivery(result.delivery),
      error: result.error,
      detail: result.detail,
    }));
  }

  /** Follows up in a session. */
  async followUp(
    sourceSessionId: string,
    sessionId: string,
    text: string,
    wishes: PeerSend = {},
  ): Promise<PeerDelivery> {
    const request = { ...said(sourceSessionId, text, wishes), sessionId };
    const answer = await this.#calls.unary((options) => this.#calls.peers.followUp(request, options));
    return delivery(answer.delivery);
  }

  /** Leaves a message durably: no state of the target refuses it. */
  async queue(
    sourceSessionId: string,
    sessionId: string,
    text: string,
    wishes: PeerWish = {},
  ): Promise<PeerDelivery> {
    const request = { ...said(sourceSessionId, text, wishes), sessionId };
    const answer = await this.#calls.unary((options) => this.#calls.peers.queuePeerMessage(request, options));
    return delivery(answer.delivery);
  }

  /** Pulls a stored body; `metaOnly` gives only its size, and counts as no fetch. Throws MessageNotFound. */
  async getBody(bodyId: string, { metaOnly = false }: { readonly metaOnly?: boolean } = {}): Promise<PeerBody> {
    const request = { bodyId, metaOnly };
    const { text, chars, tokens } = await this.#calls.unary((how) => this.#calls.peers.getPeerBody(request, how));
    return { text, chars, tokens };
  }

  /** Reads back what a session sent with a summary; `limit` is at most 50. Throws NotYourMessages. */
  async listSent(sessionId: string, { limit = 10 }: { readonly limit?: number } = {}): Promise<SentPeerMessages> {
    const request = { sessionId, limit };
    const answer = await this.#calls.unary((options) => this.#calls.peers.listPeerMessagesSent(request, options));
    return {
      messages: answer.messages.map(sent),
      retainedScope: answer.retainedScope,
      storeHoldsSince: instantIfAny(answer.storeHoldsSince),
    };
  }

  /**
   * Returns what could not be delivered, newest first: a peer's or a session's token sees its own.
   *
   * Throws Forbidden.
   */
  async *listDeadLetters(): AsyncGenerator<DeadLetter, void, void> {
    let pageToken = "";
    do {
      const request = { pageToken };
      const page = await this.#calls.unary((options) => this.#calls.peers.listDeadLetters(request, options));
      yield* page.deadLetters.map(deadLetter);
      pageToken = page.nextPageToken;
    } while (pageToken);
  }

  /**
   * Delivers a dead letter again, once however often it is asked; a sleeping target is woken.
   *
   * Throws MessageNotFound, Forbidden, and what a send throws.
   */
  async redeliver(deadLetterId: string): Promise<PeerDelivery> {
    const request = { deadLetterId };
    const answer = await this.#calls.unary((options) => this.#calls.peers.redeliverDeadLetter(request, options));
    return delivery(answer.delivery);
  }
}

/** Returns the fields that all ways of sending share. Throws InvalidPayload for a text that cannot be on the wire. */
function said<Wishes extends PeerWish>(sourceSessionId: string, text: string, wishes: Wishes) {
  const { tldr, clientRequestId = randomUUID(), ...flags } = wishes;
  for (const [field, value] of Object.entries({ text, tldr, client_request_id: clientRequestId })) {
    if (value !== undefined && !isWhole(value)) {
      throw new InvalidPayload(`${InvalidPayload.CODE}: ${field}: ${NOT_WHOLE}`, { metadata: { field } });
    }
  }
  return { ...flags, sourceSessionId, text, clientRequestId, ...(tldr !== undefined && { tldr }) };
}

function delivery(from: wire.PeerDelivery | undefined): PeerDelivery {
  const { delivered, queued, wokenFrom, idempotent, messageId } = present(from);
  return { delivered, queued, wokenFrom, idempotent, messageId };
}

function sent(from: wire.PeerMessageSummary): SentPeerMessage {
  return {
    bodyId: from.bodyId,
    targetSessionId: from.targetSessionId,
    text: from.text,
    tldr: from.tldr,
    chars: from.chars,
    tokens: from.tokens,
    sendTime: instant(from.sendTime),
  };
}

function deadLetter(from: wire.DeadLetter): DeadLetter {
  return {
    deadLetterId: from.deadLetterId,
    sourceSessionId: from.sourceSessionId,
    targetSessionId: from.targetSessionId,
    text: from.text,
    tldr: from.tldr,
    reason: wordOf(wire.DeadLetterReason, from.reason),
    detail: from.detail,
    createTime: instant(from.createTime),
    redeliverTime: instantIfAny(from.redeliverTime),
  };
}
