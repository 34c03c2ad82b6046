// The client: the connection to the service, and what a program asks of the service on it.
import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { MessageMode, SetAvailabilityRequestSchema, Availability as WireAvailability, MessageState as WireMessageState, } from "@kinpost/protocol";
import { Approvals } from "./approvals.js";
import { Calls } from "./calls.js";
import { Channel } from "./channel.js";
import * as convert from "./convert.js";
import { eventOf, listingRequest, subscriptionRequest } from "./events.js";
import { logToConsole } from "./log.js";
import { Peers } from "./peers.js";
import { Producers } from "./producers.js";
import { PATIENCE } from "./retry.js";
import { Runtime } from "./runtime.js";
import { creation } from "./session_requests.js";
import { Subscription } from "./subscription.js";
import { Tokens } from "./tokens.js";
import { argumentsJson, callTool, listTools } from "./tool_calls.js";
import { numberOf, timestamp } from "./words.js";
/**
 * Returns a client for `host:port`. Nothing is sent before the first call.
 *
 * `ipv4:host:port,host:port`, or `ipv6:`, names several replicas by their addresses: the client keeps to one of them, and
 * goes on at another when that fails.
 *
 * Throws TypeError for a target of another form and for options that contradict each other.
 */
export function connect(target = "127.0.0.1:7419", options = {}) {
    const { token, tls, rootCertificates, retry, keepaliveSeconds = 30, keepaliveTimeoutSeconds = 10, log } = options;
    const how = { token, tls, rootCertificates, keepaliveSeconds, keepaliveTimeoutSeconds };
    return new Client(new Calls(new Channel(target, how), { ...PATIENCE, ...retry }, log ?? logToConsole));
}
/**
 * A client; `connect` makes it. Its methods throw the classes of KinpostError.
 *
 * Each call that changes something carries an identity, so that it is carried out once however often it is repeated.
 */
export class Client {
    #calls;
    /** What waits for a person, for an approver. */
    approvals;
    /** Tokens, for an admin. */
    tokens;
    /** `connect` makes one. */
    constructor(calls) {
        this.#calls = calls;
        this.approvals = new Approvals(calls);
        this.tokens = new Tokens(calls);
    }
    /** Ends the connection, and whatever is on its way; its calls throw from now on. */
    close() {
        this.#calls.channel.close();
    }
    async [Symbol.asyncDispose]() {
        this.close();
    }
    // Runtimes
    /**
     * Attaches a runtime of this token, which stays attached until it is closed.
     *
     * `runtimeId` is its own lasting name, 1 to 128 bytes. It is offered the sessions that this token hosts, and with
     * `anySession` every session of its `agents`. Throws Forbidden when the id belongs to another token.
     */
    async runtime(runtimeId, options = {}) {
        const runtime = new Runtime(this.#calls, runtimeId, options);
        await runtime.attach();
        return runtime;
    }
    /**
     * Cancels the named run, or whichever is active, and returns the session. Its mail waits again.
     *
     * `byPerson` also pauses the session; an approver's or admin's cancel always does. Throws RunNotActive,
     * SessionNotFound.
     */
    async cancelRun(sessionId, options = {}) {
        // Named, so that a repeat does not cancel the next one.
        const runId = options.runId || (await this.getSession(sessionId)).activeRunId || "";
        const request = { ...options, sessionId, runId };
        const answer = await this.#calls.unary((options) => this.#calls.runs.cancelRun(request, options));
        return convert.session(answer.session);
    }
    // Sessions
    /**
     * Makes a session, a root or a child of `parentSessionId`, that this token hosts; a run uses `delegate`.
     *
     * With your own `sessionId` a repeat returns the session. Throws InvalidRequest, SessionExists, SessionNotFound (no
     * such parent), Forbidden.
     */
    async createSession(agent, wishes = {}) {
        const request = creation(agent, wishes);
        const answer = await this.#calls.unary((options) => this.#calls.sessions.createSession(request, options));
        return convert.session(answer.session);
    }
    /** Returns a session. Throws SessionNotFound, also when it is not this token's. */
    async getSession(sessionId) {
        const answer = await this.#calls.unary((options) => this.#calls.sessions.getSession({ sessionId }, options));
        return convert.session(answer.session);
    }
    /** Returns the sessions of a tree, or of all, in the order of their making. Throws Forbidden, SessionNotFound. */
    async *listSessions(rootSessionId = "") {
        let pageToken = "";
        do {
            const request = { rootSessionId, pageToken };
            const page = await this.#calls.unary((options) => this.#calls.sessions.listSessions(request, options));
            yield* page.sessions.map(convert.session);
            pageToken = page.nextPageToken;
        } while (pageToken);
    }
    /**
     * Says whether a session may be woken. `untilTime` ends a pause by itself; `noWake` goes with "archived".
     *
     * Throws Forbidden for what only a person may undo; SessionNotFound, InvalidRequest.
     */
    async setAvailability(sessionId, availability, options = {}) {
        const { reason = "", untilTime, noWake = false } = options;
        const request = create(SetAvailabilityRequestSchema, {
            ...{ sessionId, availability: numberOf(WireAvailability, availability), reason, noWake },
            ...(untilTime !== undefined && { untilTime: timestamp(untilTime) }),
        });
        const answer = await this.#calls.unary((options) => this.#calls.sessions.setAvailability(request, options));
        return convert.session(answer.session);
    }
    /**
     * Takes a session back to the event `toSeq` of its log, the last that shall still count, and returns it.
     *
     * `expectedLastSeq` is its newest event as you know it. What was consumed since waits again, and wakes the session
     * unless you `pause` it; what was accepted since is discarded. Safe to repeat. Throws SessionLogMoved,
     * RunAlreadyActive, InvalidRequest (no such point, or one that a revert undid), SessionNotFound, Forbidden.
     */
    async revertSession(sessionId, toSeq, { expectedLastSeq, pause = false }) {
        const request = { sessionId, toSeq: BigInt(toSeq), expectedLastSeq: BigInt(expectedLastSeq), pause };
        const answer = await this.#calls.unary((options) => this.#calls.sessions.revertSession(request, options));
        return convert.session(answer.session);
    }
    /**
     * Makes a sibling that continues from the event `atSeq` of a session's log, with the mail pending there.
     *
     * With your own `newSessionId` a repeat returns the fork. Throws SessionNotFound, SessionExists, InvalidRequest (no
     * such point), TooManySessions, Forbidden.
     */
    async forkSession(sessionId, atSeq, { newSessionId = randomUUID() } = {}) {
        const request = { sessionId, atSeq: BigInt(atSeq), newSessionId };
        const answer = await this.#calls.unary((options) => this.#calls.sessions.forkSession(request, options));
        return convert.session(answer.session);
    }
    /**
     * Deletes a session: a tombstone stays, pending mail is discarded and its senders are told. Safe to repeat.
     *
     * `reason` is for people. Throws SessionNotFound, RunAlreadyActive, Forbidden.
     */
    async deleteSession(sessionId, { reason = "" } = {}) {
        await this.#calls.unary((options) => this.#calls.sessions.deleteSession({ sessionId, reason }, options));
    }
    // Mail and tools
    /** Producers, for a plugin. */
    get producers() {
        return new Producers(this.#calls);
    }
    /** Mail from any session to any other. */
    get peers() {
        return new Peers(this.#calls);
    }
    /**
     * Writes to a session as its user; no message rule applies. `body` is 1 byte to 256 KiB.
     *
     * The same `clientMessageId` (1 to 256 bytes) again returns the first answer. Throws SessionNotFound, InvalidRequest,
     * ProducerInboxFull, IdempotencyConflict, Forbidden.
     */
    async sendUserMessage(sessionId, body, options = {}) {
        const { mode = "steer", clientMessageId = randomUUID() } = options;
        const request = { sessionId, clientMessageId, body, mode: numberOf(MessageMode, mode) };
        const answer = await this.#calls.unary((options) => this.#calls.messaging.sendUserMessage(request, options));
        return convert.accepted(answer.accepted);
    }
    /** Tells where a message stands that a session of this token sent. Throws MessageNotFound. */
    async getSentMessage(sessionId, messageId) {
        const request = { sessionId, messageId };
        const answer = await this.#calls.unary((options) => this.#calls.messaging.getSentMessage(request, options));
        return convert.sentMessage(answer.sentMessage);
    }
    /** Returns what a session sent, newest first; only what stands in one of `states`, if there are any. */
    async *listSentMessages(sessionId, { states = [] } = {}) {
        const numbers = [...states].map((state) => numberOf(WireMessageState, state));
        let pageToken = "";
        do {
            const request = { sessionId, states: numbers, pageToken };
            const page = await this.#calls.unary((options) => this.#calls.messaging.listSentMessages(request, options));
            yield* page.sentMessages.map(convert.sentMessage);
            pageToken = page.nextPageToken;
        } while (pageToken);
    }
    /** Takes back a message that is not claimed. Safe to repeat. Throws MessageNotFound, MessageClaimed. */
    async retractMessage(sessionId, messageId) {
        const request = { sessionId, messageId };
        const answer = await this.#calls.unary((options) => this.#calls.messaging.retractMessage(request, options));
        return convert.sentMessage(answer.sentMessage);
    }
    /** Returns what a session's model may see; may be empty. Throws SessionNotFound. */
    async listTools(sessionId) {
        return await listTools(this.#calls, sessionId);
    }
    /**
     * Carries out a model's tool call for a run that another program holds; a holder uses `run.callTool`.
     *
     * `toolCallId`, 1 to 256 bytes, must be unique within the run: the same again returns the first acceptance. What the
     * tool refuses is a result; see `run.callTool` for `approvalWaitSeconds`. Throws SessionNotFound, InvalidRequest.
     */
    async callTool(sessionId, runId, name, given, { toolCallId, approvalWaitSeconds }) {
        const call = { sessionId, runId, toolCallId, name, argumentsJson: argumentsJson(given) };
        return await callTool(this.#calls, call, approvalWaitSeconds);
    }
    // Events
    /**
     * Returns the events of a session, of a tree, or with neither of all: stored ones, then live ones, for ever.
     *
     * They begin after a cursor, after a sequence number of the session, with what comes from now on, or with the first
     * that is kept. Throws TypeError for contradictions.
     */
    subscribe(scope = {}) {
        return new Subscription(this.#calls, subscriptionRequest(scope));
    }
    /** Returns the same events as `subscribe`, up to the end of the log. */
    async *listEvents(scope = {}) {
        const request = listingRequest(scope);
        do {
            const page = await this.#calls.unary((options) => this.#calls.events.listEvents(request, options));
            yield* page.events.map(eventOf);
            request.pageToken = page.nextPageToken;
        } while (request.pageToken);
    }
    // The server
    /** Returns what server this is. Needs no token. Throws UnsupportedVersion. */
    async serverInfo() {
        return convert.serverInfo(await this.#calls.unary((options) => this.#calls.admin.getServerInfo({}, options)));
    }
}
