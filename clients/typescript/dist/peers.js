// Peer mail: a session writes to any other, and reads back what it sent.
import { randomUUID } from "node:crypto";
import * as wire from "@kinpost/protocol";
import { present } from "./convert.js";
import { InvalidPayload } from "./peer_errors.js";
import { isWhole, NOT_WHOLE } from "./whole_text.js";
import { instant, instantIfAny, wordOf } from "./words.js";
/**
 * Mail to any session, on the authority of the token; `client.peers` is it.
 *
 * `sourceSessionId` is the sender, which the token must be allowed to act for. `text` is 1 to 32,000 characters, counted
 * in Unicode code points; past 1000 it needs `tldr`. Within ten minutes the same `clientRequestId` again returns the
 * first answer, whatever its text. Sends throw InvalidPayload, TldrRequired, RateLimited, TargetNotFound, UserClosed,
 * NeedsConfirmation, TurnInFlight, DuplicateInFlight, WakeFailed, SendFailed, Forbidden.
 */
export class Peers {
    #calls;
    constructor(calls) {
        this.#calls = calls;
    }
    /**
     * Delivers a message; a busy target takes it at its turn boundary, a paused one is held.
     *
     * `confirmInterruptTurn` ends the target's run in place of queueing; `allowReopenUserClosed` opens what a person
     * closed (admins only); `queueIfLimited` parks the message when the token's budget is spent.
     */
    async send(sourceSessionId, sessionId, text, wishes = {}) {
        const request = { ...said(sourceSessionId, text, wishes), sessionId };
        const answer = await this.#calls.unary((options) => this.#calls.peers.sendPeerMessage(request, options));
        return delivery(answer.delivery);
    }
    /** Delivers the same to 1 to 100 targets: a result for each, in their order. Throws what refuses the whole. */
    async broadcast(sourceSessionId, sessionIds, text, wishes = {}) {
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
    async followUp(sourceSessionId, sessionId, text, wishes = {}) {
        const request = { ...said(sourceSessionId, text, wishes), sessionId };
        const answer = await this.#calls.unary((options) => this.#calls.peers.followUp(request, options));
        return delivery(answer.delivery);
    }
    /** Leaves a message durably: no state of the target refuses it. */
    async queue(sourceSessionId, sessionId, text, wishes = {}) {
        const request = { ...said(sourceSessionId, text, wishes), sessionId };
        const answer = await this.#calls.unary((options) => this.#calls.peers.queuePeerMessage(request, options));
        return delivery(answer.delivery);
    }
    /** Pulls a stored body; `metaOnly` gives only its size, and counts as no fetch. Throws MessageNotFound. */
    async getBody(bodyId, { metaOnly = false } = {}) {
        const request = { bodyId, metaOnly };
        const { text, chars, tokens } = await this.#calls.unary((how) => this.#calls.peers.getPeerBody(request, how));
        return { text, chars, tokens };
    }
    /** Reads back what a session sent with a summary; `limit` is at most 50. Throws NotYourMessages. */
    async listSent(sessionId, { limit = 10 } = {}) {
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
    async *listDeadLetters() {
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
    async redeliver(deadLetterId) {
        const request = { deadLetterId };
        const answer = await this.#calls.unary((options) => this.#calls.peers.redeliverDeadLetter(request, options));
        return delivery(answer.delivery);
    }
}
/** Returns the fields that all ways of sending share. Throws InvalidPayload for a text that cannot be on the wire. */
function said(sourceSessionId, text, wishes) {
    const { tldr, clientRequestId = randomUUID(), ...flags } = wishes;
    for (const [field, value] of Object.entries({ text, tldr, client_request_id: clientRequestId })) {
        if (value !== undefined && !isWhole(value)) {
            throw new InvalidPayload(`${InvalidPayload.CODE}: ${field}: ${NOT_WHOLE}`, { metadata: { field } });
        }
    }
    return { ...flags, sourceSessionId, text, clientRequestId, ...(tldr !== undefined && { tldr }) };
}
function delivery(from) {
    const { delivered, queued, wokenFrom, idempotent, messageId } = present(from);
    return { delivered, queued, wokenFrom, idempotent, messageId };
}
function sent(from) {
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
function deadLetter(from) {
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
