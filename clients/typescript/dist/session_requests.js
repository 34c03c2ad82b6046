// What is asked of a new session.
import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { CreateSessionRequestSchema, RuleDecision, SessionState as WireState, Starter as WireStarter, } from "@kinpost/protocol";
import { numberOf, timestamp } from "./words.js";
/**
 * Returns the request, with a session id of our own when none was given, so that repeating it is safe.
 *
 * Throws TypeError for rules given twice, and for words that are none of the contract's.
 */
export function creation(agent, wishes, delegating) {
    const { messageRules, agentDocument, starter, firstMessage, imported } = wishes;
    if (messageRules !== undefined && agentDocument !== undefined) {
        throw new TypeError("messageRules and agentDocument exclude each other");
    }
    const request = {
        sessionId: wishes.sessionId ?? randomUUID(),
        parentSessionId: wishes.parentSessionId ?? "",
        ...delegating,
        agent,
        description: wishes.description ?? "",
        withoutHandle: wishes.withoutHandle ?? false,
    };
    if (firstMessage !== undefined) {
        request.firstMessage = firstMessage;
    }
    if (starter !== undefined) {
        request.starter = numberOf(WireStarter, starter);
    }
    if (agentDocument !== undefined) {
        request.rules = { case: "agentDocument", value: agentDocument };
    }
    if (messageRules !== undefined) {
        const rules = Object.entries(messageRules).map(([pattern, decision]) => ({
            pattern,
            decision: numberOf(RuleDecision, decision),
        }));
        request.rules = { case: "messageRules", value: { rules } };
    }
    if (imported !== undefined) {
        request.imported = {
            state: numberOf(WireState, imported.state),
            handle: imported.handle ?? "",
            ...(imported.createTime !== undefined && { createTime: timestamp(imported.createTime) }),
        };
    }
    return create(CreateSessionRequestSchema, request);
}
