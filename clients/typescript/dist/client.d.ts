import { Approvals } from "./approvals.js";
import { Calls } from "./calls.js";
import { type Event, type EventScope, type SubscriptionScope } from "./events.js";
import { type Log } from "./log.js";
import { Peers } from "./peers.js";
import { Producers } from "./producers.js";
import type { Accepted, SentMessage, ServerInfo, Session, Tool, ToolResult } from "./records.js";
import { type Retry } from "./retry.js";
import { Runtime, type RuntimeOptions } from "./runtime.js";
import { type SessionWishes } from "./session_requests.js";
import { Subscription } from "./subscription.js";
import type { Availability, MessageState, Mode, Said } from "./terms.js";
import { Tokens } from "./tokens.js";
import { type ApprovalWait, type ToolArguments } from "./tool_calls.js";
/** How a client connects. */
export interface ConnectOptions {
    /** The bearer secret; only `serverInfo` goes without. */
    readonly token?: string | undefined;
    /** TLS; unless said otherwise, for every target that is not on this machine's loopback. */
    readonly tls?: boolean | undefined;
    /** PEM, in place of the system's certificates; implies TLS. */
    readonly rootCertificates?: string | Uint8Array | undefined;
    /** How patiently calls are repeated; what is not said is as in `PATIENCE`. */
    readonly retry?: Partial<Retry> | undefined;
    /** How often a quiet connection is tried, 10 or more; 30 unless said otherwise. */
    readonly keepaliveSeconds?: number | undefined;
    /** How long such a trial may take before the connection counts as broken; 10 unless said otherwise. */
    readonly keepaliveTimeoutSeconds?: number | undefined;
    /** Takes what the client has to say; unless given, warnings and errors go to the console. */
    readonly log?: Log | undefined;
}
/**
 * Returns a client for `host:port`. Nothing is sent before the first call.
 *
 * `ipv4:host:port,host:port`, or `ipv6:`, names several replicas by their addresses: the client keeps to one of them, and
 * goes on at another when that fails.
 *
 * Throws TypeError for a target of another form and for options that contradict each other.
 */
export declare function connect(target?: string, options?: ConnectOptions): Client;
/**
 * A client; `connect` makes it. Its methods throw the classes of KinpostError.
 *
 * Each call that changes something carries an identity, so that it is carried out once however often it is repeated.
 */
export declare class Client implements AsyncDisposable {
    #private;
    /** What waits for a person, for an approver. */
    readonly approvals: Approvals;
    /** Tokens, for an admin. */
    readonly tokens: Tokens;
    /** `connect` makes one. */
    constructor(calls: Calls);
    /** Ends the connection, and whatever is on its way; its calls throw from now on. */
    close(): void;
    [Symbol.asyncDispose](): Promise<void>;
    /**
     * Attaches a runtime of this token, which stays attached until it is closed.
     *
     * `runtimeId` is its own lasting name, 1 to 128 bytes. It is offered the sessions that this token hosts, and with
     * `anySession` every session of its `agents`. Throws Forbidden when the id belongs to another token.
     */
    runtime(runtimeId: string, options?: RuntimeOptions): Promise<Runtime>;
    /**
     * Cancels the named run, or whichever is active, and returns the session. Its mail waits again.
     *
     * `byPerson` also pauses the session; an approver's or admin's cancel always does. Throws RunNotActive,
     * SessionNotFound.
     */
    cancelRun(sessionId: string, options?: {
        readonly runId?: string;
        readonly reason?: string;
        readonly byPerson?: boolean;
    }): Promise<Session>;
    /**
     * Makes a session, a root or a child of `parentSessionId`, that this token hosts; a run uses `delegate`.
     *
     * With your own `sessionId` a repeat returns the session. Throws InvalidRequest, SessionExists, SessionNotFound (no
     * such parent), Forbidden.
     */
    createSession(agent: string, wishes?: SessionWishes): Promise<Session>;
    /** Returns a session. Throws SessionNotFound, also when it is not this token's. */
    getSession(sessionId: string): Promise<Session>;
    /** Returns the sessions of a tree, or of all, in the order of their making. Throws Forbidden, SessionNotFound. */
    listSessions(rootSessionId?: string): AsyncGenerator<Session, void, void>;
    /**
     * Says whether a session may be woken. `untilTime` ends a pause by itself; `noWake` goes with "archived".
     *
     * Throws Forbidden for what only a person may undo; SessionNotFound, InvalidRequest.
     */
    setAvailability(sessionId: string, availability: Said<Availability>, options?: {
        readonly reason?: string;
        readonly untilTime?: Date;
        readonly noWake?: boolean;
    }): Promise<Session>;
    /**
     * Takes a session back to the event `toSeq` of its log, the last that shall still count, and returns it.
     *
     * `expectedLastSeq` is its newest event as you know it. What was consumed since waits again, and wakes the session
     * unless you `pause` it; what was accepted since is discarded. Safe to repeat. Throws SessionLogMoved,
     * RunAlreadyActive, InvalidRequest (no such point, or one that a revert undid), SessionNotFound, Forbidden.
     */
    revertSession(sessionId: string, toSeq: number, { expectedLastSeq, pause }: {
        readonly expectedLastSeq: number;
        readonly pause?: boolean;
    }): Promise<Session>;
    /**
     * Makes a sibling that continues from the event `atSeq` of a session's log, with the mail pending there.
     *
     * With your own `newSessionId` a repeat returns the fork. Throws SessionNotFound, SessionExists, InvalidRequest (no
     * such point), TooManySessions, Forbidden.
     */
    forkSession(sessionId: string, atSeq: number, { newSessionId }?: {
        readonly newSessionId?: string;
    }): Promise<Session>;
    /**
     * Deletes a session: a tombstone stays, pending mail is discarded and its senders are told. Safe to repeat.
     *
     * `reason` is for people. Throws SessionNotFound, RunAlreadyActive, Forbidden.
     */
    deleteSession(sessionId: string, { reason }?: {
        readonly reason?: string;
    }): Promise<void>;
    /** Producers, for a plugin. */
    get producers(): Producers;
    /** Mail from any session to any other. */
    get peers(): Peers;
    /**
     * Writes to a session as its user; no message rule applies. `body` is 1 byte to 256 KiB.
     *
     * The same `clientMessageId` (1 to 256 bytes) again returns the first answer. Throws SessionNotFound, InvalidRequest,
     * ProducerInboxFull, IdempotencyConflict, Forbidden.
     */
    sendUserMessage(sessionId: string, body: string, options?: {
        readonly mode?: Said<Mode>;
        readonly clientMessageId?: string;
    }): Promise<Accepted>;
    /** Tells where a message stands that a session of this token sent. Throws MessageNotFound. */
    getSentMessage(sessionId: string, messageId: string): Promise<SentMessage>;
    /** Returns what a session sent, newest first; only what stands in one of `states`, if there are any. */
    listSentMessages(sessionId: string, { states }?: {
        readonly states?: Iterable<Said<MessageState>>;
    }): AsyncGenerator<SentMessage, void, void>;
    /** Takes back a message that is not claimed. Safe to repeat. Throws MessageNotFound, MessageClaimed. */
    retractMessage(sessionId: string, messageId: string): Promise<SentMessage>;
    /** Returns what a session's model may see; may be empty. Throws SessionNotFound. */
    listTools(sessionId: string): Promise<Tool[]>;
    /**
     * Carries out a model's tool call for a run that another program holds; a holder uses `run.callTool`.
     *
     * `toolCallId`, 1 to 256 bytes, must be unique within the run: the same again returns the first acceptance. What the
     * tool refuses is a result; see `run.callTool` for `approvalWaitSeconds`. Throws SessionNotFound, InvalidRequest.
     */
    callTool(sessionId: string, runId: string, name: string, given: ToolArguments, { toolCallId, approvalWaitSeconds }: {
        readonly toolCallId: string;
    } & ApprovalWait): Promise<ToolResult>;
    /**
     * Returns the events of a session, of a tree, or with neither of all: stored ones, then live ones, for ever.
     *
     * They begin after a cursor, after a sequence number of the session, with what comes from now on, or with the first
     * that is kept. Throws TypeError for contradictions.
     */
    subscribe(scope?: SubscriptionScope): Subscription;
    /** Returns the same events as `subscribe`, up to the end of the log. */
    listEvents(scope?: EventScope): AsyncGenerator<Event, void, void>;
    /** Returns what server this is. Needs no token. Throws UnsupportedVersion. */
    serverInfo(): Promise<ServerInfo>;
}
