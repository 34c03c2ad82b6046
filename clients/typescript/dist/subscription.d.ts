import type { SubscribeEventsRequest } from "@kinpost/protocol";
import type { Calls } from "./calls.js";
import { type Event } from "./events.js";
/**
 * Events, for ever; `client.subscribe` makes it. Use it in a `for await` loop: leaving the loop ends the stream, another
 * loop goes on where that one ended.
 *
 * It outlives the server: after a cut it goes on behind the last event that it has. Throws what repeating does not help:
 * SessionNotFound, Forbidden, Unauthenticated, OtherLog, CursorOutOfRange, CursorExpired, InvalidRequest.
 */
export declare class Subscription implements AsyncIterable<Event>, AsyncDisposable {
    #private;
    /**
     * Stands behind the last frame of which every event was handed out and the next one was asked for: what to continue
     * from in another process. Empty before the first.
     */
    cursor: string;
    /** Whether everything that was stored has come. */
    caughtUp: boolean;
    constructor(calls: Calls, request: SubscribeEventsRequest);
    [Symbol.asyncIterator](): AsyncGenerator<Event, void, void>;
    /** Ends the stream, and the loop that goes through it. */
    close(): void;
    [Symbol.asyncDispose](): Promise<void>;
}
