import type { Calls } from "./calls.js";
import type { DeadLetter, PeerBody, PeerDelivery, PeerResult, SentPeerMessages } from "./peer_records.js";
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
export declare class Peers {
    #private;
    constructor(calls: Calls);
    /**
     * Delivers a message; a busy target takes it at its turn boundary, a paused one is held.
     *
     * `confirmInterruptTurn` ends the target's run in place of queueing; `allowReopenUserClosed` opens what a person
     * closed (admins only); `queueIfLimited` parks the message when the token's budget is spent.
     */
    send(sourceSessionId: string, sessionId: string, text: string, wishes?: PeerSend & {
        readonly confirmInterruptTurn?: boolean;
        readonly allowReopenUserClosed?: boolean;
        readonly queueIfLimited?: boolean;
    }): Promise<PeerDelivery>;
    /** Delivers the same to 1 to 100 targets: a result for each, in their order. Throws what refuses the whole. */
    broadcast(sourceSessionId: string, sessionIds: Iterable<string>, text: string, wishes?: PeerSend): Promise<PeerResult[]>;
    /** Follows up in a session. */
    followUp(sourceSessionId: string, sessionId: string, text: string, wishes?: PeerSend): Promise<PeerDelivery>;
    /** Leaves a message durably: no state of the target refuses it. */
    queue(sourceSessionId: string, sessionId: string, text: string, wishes?: PeerWish): Promise<PeerDelivery>;
    /** Pulls a stored body; `metaOnly` gives only its size, and counts as no fetch. Throws MessageNotFound. */
    getBody(bodyId: string, { metaOnly }?: {
        readonly metaOnly?: boolean;
    }): Promise<PeerBody>;
    /** Reads back what a session sent with a summary; `limit` is at most 50. Throws NotYourMessages. */
    listSent(sessionId: string, { limit }?: {
        readonly limit?: number;
    }): Promise<SentPeerMessages>;
    /**
     * Returns what could not be delivered, newest first: a peer's or a session's token sees its own.
     *
     * Throws Forbidden.
     */
    listDeadLetters(): AsyncGenerator<DeadLetter, void, void>;
    /**
     * Delivers a dead letter again, once however often it is asked; a sleeping target is woken.
     *
     * Throws MessageNotFound, Forbidden, and what a send throws.
     */
    redeliver(deadLetterId: string): Promise<PeerDelivery>;
}
