// A run as its body sees it: one stretch of work of a session, from its start to its outcome.
import { randomUUID } from "node:crypto";
import { MessageMode } from "@kinpost/protocol";
import { answered } from "./approvals.js";
import * as convert from "./convert.js";
import { ApprovalPending } from "./errors.js";
import { creation } from "./session_requests.js";
import { toolCallIdOf } from "./tool_call_ids.js";
import { argumentsJson, callTool, listTools } from "./tool_calls.js";
import { Turn } from "./turn.js";
import { instantIfAny, numberOf } from "./words.js";
/**
 * One run. `runtime.run` and `runtime.start` start it, hand it to a body, and end it by what comes out of the body:
 *
 * - The body returns: the run is COMPLETED. `turns()` ends it itself, and goes on instead when steer mail has come.
 * - The body throws: the run is FAILED, with the exception as the reason, and the exception goes on.
 * - The runtime closes, or the caller's signal fires: `signal` fires, and when the body throws upon that the run is
 *   INTERRUPTED: its mail wakes the session again.
 * - The service stops it (somebody cancelled it, its lease lapsed, its session was deleted): `signal` fires, and
 *   RunCancelled, RunLeaseLost or SessionNotFound is thrown once the body has come to its end.
 *
 * Hand `signal` to the model's call and to the tools: a body that does not heed it is waited for.
 */
export class Run {
    #held;
    #asked = false;
    constructor(held) {
        this.#held = held;
    }
    /** The session. */
    get sessionId() {
        return this.#held.identity.sessionId;
    }
    /** The tree. */
    get rootSessionId() {
        return this.#held.rootSessionId;
    }
    /** The offer that it was started with, if any. */
    get offer() {
        return this.#held.identity.offer;
    }
    /** The run's own id. */
    get runId() {
        return this.#held.runId;
    }
    /** 1 for the session's first run. */
    get number() {
        return this.#held.number;
    }
    /** The latest turn. */
    get turn() {
        return this.#held.turn;
    }
    /** How it ended; undefined before. */
    get outcome() {
        return this.#held.outcome;
    }
    /** "not_open" when it may finish and gets no more mail. */
    get stopReason() {
        return this.#held.stopReason;
    }
    /** Fires when the run must stop; its reason is what will be thrown. */
    get signal() {
        return this.#held.signal;
    }
    /**
     * Returns the run's model requests, one after the other; see `Turn` for what the body says of each.
     *
     * Mail is claimed at each step of the loop, so just before the model is asked. The loop ends when the body has said
     * `more()` no longer and no steer mail has come meanwhile; the run is then COMPLETED. A woken run begins with mail, or
     * has no turn at all; one that its delegator started may begin without.
     */
    async *turns() {
        const held = this.#held;
        if (this.#asked) {
            throw new Error("the turns of a run are asked for once");
        }
        this.#asked = true;
        let claim = held.firstClaim;
        if (claim?.messages.length === 0 && held.identity.offer !== undefined) {
            held.turn = new Turn(held, 1, claim, undefined);
            held.turn.keep();
            claim = await held.nextClaim(held.turn);
        }
        for (let number = 1; claim !== undefined; number += 1) {
            held.check();
            const turn = new Turn(held, number, claim, held.stopReason);
            held.turn = turn;
            yield turn;
            if (turn.word === "none") {
                turn.keep();
            }
            claim = await held.nextClaim(turn);
        }
    }
    /** Returns the tools that the service offers this session's model; may be empty. */
    async listTools() {
        return await this.#held.noting(listTools(this.#held.calls, this.sessionId, { signal: this.signal }));
    }
    /**
     * Carries out a model's call of one of the service's tools; what the tool refuses is a result too.
     *
     * `toolCallId` is the model's own; it is made unique within the run by the turn. The same call again returns the first
     * acceptance. Where a person is asked, the call waits for the answer, unless `approvalWaitSeconds` says how long; then
     * the result has the code "approval:pending", and the message goes out when it is allowed while the run lasts.
     */
    async callTool(name, given, { toolCallId, approvalWaitSeconds }) {
        const call = { ...this.#name(), toolCallId: this.#own(toolCallId), name, argumentsJson: argumentsJson(given) };
        const patience = { signal: this.signal };
        return await this.#held.noting(callTool(this.#held.calls, call, approvalWaitSeconds, patience));
    }
    /**
     * Writes to another agent of the tree: `to` is a handle or a session id.
     *
     * As `callTool("send_message", ...)`, for runtimes that send by themselves: a refusal is thrown, typed. Without a
     * `toolCallId` each call is a message of its own. Throws InvalidBody, UnknownReference, UnknownSession, SelfSend,
     * NotTreePeer, PermissionDenied, ApprovalDenied, ApprovalExpired, ApprovalCancelled, ApprovalPending (nobody answered
     * within `approvalWaitSeconds`), TooManyApprovals, InboxFull, InflightFull, MaxHopsExceeded, MessagingDisabled,
     * IdempotencyConflict.
     */
    async send(to, body, options = {}) {
        const { calls } = this.#held;
        const request = {
            ...this.#name(),
            toolCallId: this.#own(options.toolCallId ?? randomUUID()),
            to,
            body,
            mode: numberOf(MessageMode, options.mode ?? "steer"),
        };
        const { result } = await this.#held.noting(answered((wait) => calls.unary((options) => calls.messaging.sendMessage({ ...request, ...wait.field }, options), {
            signal: this.signal,
            ...wait.patience,
        }), (answer) => answer.result.case === "pendingApproval", options.approvalWaitSeconds, this.signal));
        if (result.case === "pendingApproval") {
            throw new ApprovalPending(result.value.approvalId, instantIfAny(result.value.expireTime));
        }
        return convert.accepted(result.value);
    }
    /**
     * Makes a child session of this run's session.
     *
     * With the starter "delegator", which it is unless said otherwise, this runtime runs the child: `runtime.start`. With
     * "wake" whichever runtime hosts the agent is offered it, as soon as it has mail. Throws as `client.createSession`.
     */
    async delegate(agent, options = {}) {
        const { calls } = this.#held;
        const { toolCallId, ...wishes } = options;
        const request = creation(agent, { starter: "delegator", ...wishes, parentSessionId: this.sessionId }, { parentRunId: this.runId, parentToolCallId: toolCallId ? this.#own(toolCallId) : "" });
        const answer = await this.#held.noting(calls.unary((options) => calls.sessions.createSession(request, options), { signal: this.signal }));
        return convert.session(answer.session);
    }
    #own(toolCallId) {
        return toolCallIdOf(this.#held.claimSeq, toolCallId);
    }
    #name() {
        return { sessionId: this.sessionId, runId: this.runId };
    }
}
