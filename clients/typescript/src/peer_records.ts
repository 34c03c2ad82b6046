// What peer mail's answers hold.

import type { DeadLetterReason } from "./terms.js";

/**
 * What came of a message. `queued`: the receiver gets it later. `wokenFrom`: "archived", "ended" or "error".
 *
 * `idempotent`: this repeats an earlier answer. A message that is parked is queued and not delivered, without an id.
 */
export interface PeerDelivery {
  readonly delivered: boolean;
  readonly queued: boolean;
  readonly wokenFrom: string | undefined;
  readonly idempotent: boolean;
  readonly messageId: string;
}

/** What came of a broadcast to one target: a delivery, or the name of an error with its detail. */
export interface PeerResult {
  readonly sessionId: string;
  readonly delivery: PeerDelivery | undefined;
  readonly error: string;
  readonly detail: string;
}

/** A stored body, without its text when it was only measured. `chars` are code points, `tokens` is an estimate. */
export interface PeerBody {
  readonly text: string | undefined;
  readonly chars: number;
  readonly tokens: number;
}

/** A message that was sent with a summary. */
export interface SentPeerMessage {
  readonly bodyId: string;
  readonly targetSessionId: string;
  readonly text: string;
  readonly tldr: string | undefined;
  readonly chars: number;
  readonly tokens: number;
  readonly sendTime: Date;
}

/**
 * What a session sent with summaries, newest first.
 *
 * `retainedScope` says what is kept at all: an empty list does not mean that nothing was sent. `storeHoldsSince` is when
 * the oldest body of all was sent; undefined when the store holds none.
 */
export interface SentPeerMessages {
  readonly messages: readonly SentPeerMessage[];
  readonly retainedScope: string;
  readonly storeHoldsSince: Date | undefined;
}

/** A message that could not be delivered, and why. */
export interface DeadLetter {
  readonly deadLetterId: string;
  readonly sourceSessionId: string;
  readonly targetSessionId: string;
  readonly text: string;
  readonly tldr: string | undefined;
  readonly reason: DeadLetterReason;
  readonly detail: string;
  readonly createTime: Date;
  readonly redeliverTime: Date | undefined;
}
