import type { Calls } from "./calls.js";
import type { Accepted, Registration } from "./records.js";
import type { Mode, Said } from "./terms.js";
/**
 * Producers, for a plugin's token; `client.producers` is it.
 *
 * A registration lapses at its `leaseExpireTime` unless it is renewed, by `renew` or by a send. What was sent stays.
 */
export declare class Producers {
    #private;
    constructor(calls: Calls);
    /**
     * Registers this plugin with a session; while it is registered, the same `clientProducerId` (1 to 128 bytes) returns
     * the registration as it was made.
     *
     * Throws Forbidden for a token that is no plugin's, SessionNotFound, TooManyProducers.
     */
    register(sessionId: string, clientProducerId: string, { description }?: {
        readonly description?: string;
    }): Promise<Registration>;
    /** Renews registrations, 1000 at most, and returns the ids of those that stand; the others must register again. */
    renew(producerIds: Iterable<string>): Promise<string[]>;
    /**
     * Stores a message in the session's log and wakes it. `body` is 1 byte to 256 KiB; `description` is for people.
     *
     * The same `idempotencyKey` (1 to 256 bytes) of the same plugin returns the first answer. Throws ProducerNotFound once
     * the registration has ended, InvalidRequest, ProducerInboxFull, IdempotencyConflict.
     */
    send(registration: Pick<Registration, "sessionId" | "producerId">, body: string, options?: {
        readonly mode?: Said<Mode>;
        readonly description?: string;
        readonly idempotencyKey?: string;
    }): Promise<Accepted>;
    /** Discards a message of this plugin that no model request has. Throws MessageNotFound, MessageClaimed. */
    discard(sessionId: string, messageId: string): Promise<void>;
    /** Ends a registration; one that has ended stays so. Throws ProducerNotFound. */
    unregister({ sessionId, producerId }: Pick<Registration, "sessionId" | "producerId">): Promise<void>;
    /** Returns a session's producers in the order of their registration. Throws SessionNotFound. */
    list(sessionId: string): AsyncGenerator<Registration, void, void>;
}
