// From the generated messages to this client's records.
import * as wire from "@kinpost/protocol";
import { instant, instantIfAny, seconds, wordOf } from "./words.js";
/** Returns a session. */
export function session(from) {
    const s = present(from);
    return {
        sessionId: s.sessionId,
        rootSessionId: s.rootSessionId,
        parentSessionId: s.parentSessionId,
        parentRunId: s.parentRunId,
        parentToolCallId: s.parentToolCallId,
        depth: s.depth,
        handle: s.handle,
        agent: s.agent,
        description: s.description,
        messageRules: Object.fromEntries(s.messageRules.map((rule) => [rule.pattern, wordOf(wire.RuleDecision, rule.decision)])),
        starter: wordOf(wire.Starter, s.starter),
        state: wordOf(wire.SessionState, s.state),
        availability: wordOf(wire.Availability, s.availability),
        availabilityReason: s.availabilityReason,
        untilTime: instantIfAny(s.untilTime),
        noWake: s.noWake,
        createTime: instant(s.createTime),
        lastSeq: Number(s.lastSeq),
        activeRunId: s.activeRunId,
        pendingCount: s.pendingCount,
        failingRuns: s.failingRuns,
    };
}
function sender(from) {
    return {
        sessionId: from?.sessionId,
        handle: from?.handle,
        runId: from?.runId,
        toolCallId: from?.toolCallId,
        producerId: from?.producerId,
        name: from?.name,
    };
}
/** Returns a producer's registration. */
export function registration(from) {
    const producer = present(from);
    return {
        producerId: producer.producerId,
        sessionId: producer.sessionId,
        owner: wordOf(wire.ProducerOwner, producer.owner),
        ownerName: producer.ownerName,
        clientProducerId: producer.clientProducerId,
        description: producer.description,
        createTime: instant(producer.createTime),
        leaseExpireTime: instant(producer.leaseExpireTime),
    };
}
/** Returns a claimed message. */
export function mail(from) {
    return {
        messageId: from.messageId,
        owner: wordOf(wire.ProducerOwner, from.owner),
        mode: wordOf(wire.MessageMode, from.mode),
        sender: sender(from.sender),
        body: from.body,
        text: from.renderedText,
        agentHop: from.agentHop,
        acceptTime: instant(from.acceptTime),
        ageSeconds: seconds(from.age),
        deliveryCount: from.deliveryCount,
    };
}
/** Returns the promise that a message is stored. */
export function accepted(from) {
    const promise = present(from);
    return {
        messageId: promise.messageId,
        mode: wordOf(wire.MessageMode, promise.mode),
        recipientState: wordOf(wire.RecipientState, promise.recipientState),
        replayed: promise.replayed,
    };
}
/** Returns the sender's view of a message. */
export function sentMessage(from) {
    const sent = present(from);
    return {
        messageId: sent.messageId,
        recipientSessionId: sent.recipientSessionId,
        recipientHandle: sent.recipientHandle,
        owner: wordOf(wire.ProducerOwner, sent.owner),
        mode: wordOf(wire.MessageMode, sent.mode),
        state: wordOf(wire.MessageState, sent.state),
        acceptTime: instant(sent.acceptTime),
        admitTime: instantIfAny(sent.admitTime),
        claimTime: instantIfAny(sent.claimTime),
        consumeTime: instantIfAny(sent.consumeTime),
        discardTime: instantIfAny(sent.discardTime),
        discardReason: sent.discardReason ? wordOf(wire.DiscardReason, sent.discardReason) : undefined,
        held: sent.held,
        heldReason: sent.heldReason,
        heldTime: instantIfAny(sent.heldTime),
        deliveryCount: sent.deliveryCount,
        expireTime: instantIfAny(sent.expireTime),
        runId: sent.runId,
        toolCallId: sent.toolCallId,
    };
}
/** Returns an offer. */
export function offer(from) {
    return {
        wakeId: from.wakeId,
        sessionId: from.sessionId,
        rootSessionId: from.rootSessionId,
        agent: from.agent,
        offerNumber: from.offerNumber,
        expireTime: instant(from.expireTime),
        pendingCount: from.pendingCount,
    };
}
/** Returns a tool. */
export function tool(from) {
    return { name: from.name, description: from.description, parameters: JSON.parse(from.parametersJsonSchema) };
}
/** Returns an approval. */
export function approval(from) {
    const asked = present(from);
    return {
        approvalId: asked.approvalId,
        sessionId: asked.sessionId,
        rootSessionId: asked.rootSessionId,
        runId: asked.runId,
        toolCallId: asked.toolCallId,
        toolName: asked.toolName,
        recipientSessionId: asked.recipientSessionId,
        arguments: JSON.parse(asked.argumentsJson),
        state: wordOf(wire.ApprovalState, asked.state),
        decision: asked.decision ? wordOf(wire.ApprovalDecision, asked.decision) : undefined,
        reason: asked.reason,
        createTime: instant(asked.createTime),
        decideTime: instantIfAny(asked.decideTime),
        expireTime: instantIfAny(asked.expireTime),
    };
}
/** Returns a token. */
export function token(from) {
    const told = present(from);
    return {
        tokenId: told.tokenId,
        kind: wordOf(wire.TokenKind, told.scope?.kind ?? 0),
        pluginName: told.scope?.pluginName ?? "",
        sessionIds: told.sessionIds,
        createTime: instant(told.createTime),
        expireTime: instantIfAny(told.expireTime),
        revokeTime: instantIfAny(told.revokeTime),
    };
}
/** Returns what server it is. */
export function serverInfo(from) {
    return {
        protocolVersion: from.protocolVersion,
        protocolVersionMin: from.protocolVersionMin,
        serverVersion: from.serverVersion,
        logId: from.logId,
        serverTime: instant(from.serverTime),
        requestBytesMax: from.requestBytesMax,
    };
}
/** Returns what an answer must hold. Throws Error for one that does not: it is not a Kinpost server's. */
export function present(part) {
    if (part === undefined) {
        throw new Error("the answer lacks what the contract says it has");
    }
    return part;
}
