import type { ApprovalDecision, ApprovalState, Availability, Decision, DiscardReason, MessageState, Mode, Owner, RecipientState, SessionState, Starter, TokenKind } from "./terms.js";
/** One agent's conversation. `handle` is its short name in its tree, if it has one. */
export interface Session {
    readonly sessionId: string;
    readonly rootSessionId: string;
    readonly parentSessionId: string | undefined;
    readonly parentRunId: string | undefined;
    readonly parentToolCallId: string | undefined;
    readonly depth: number;
    readonly handle: string | undefined;
    readonly agent: string;
    readonly description: string;
    readonly messageRules: Readonly<Record<string, Decision>>;
    readonly starter: Starter;
    readonly state: SessionState;
    readonly availability: Availability;
    readonly availabilityReason: string;
    readonly untilTime: Date | undefined;
    readonly noWake: boolean;
    readonly createTime: Date;
    readonly lastSeq: number;
    readonly activeRunId: string | undefined;
    readonly pendingCount: number;
    readonly failingRuns: number;
}
/** Where a message came from: derived by the service from the caller, never from what a model wrote. */
export interface Sender {
    readonly sessionId: string | undefined;
    readonly handle: string | undefined;
    readonly runId: string | undefined;
    readonly toolCallId: string | undefined;
    readonly producerId: string | undefined;
    readonly name: string | undefined;
}
/**
 * One message, as it is put before one model request.
 *
 * `text` goes into the prompt as a user turn: the body in its frame, the same at every delivery. `body` is what the
 * sender wrote, byte for byte. `deliveryCount` above 1: it was before a request already that was not kept.
 */
export interface Mail {
    readonly messageId: string;
    readonly owner: Owner;
    readonly mode: Mode;
    readonly sender: Sender;
    readonly body: string;
    readonly text: string;
    readonly agentHop: number | undefined;
    readonly acceptTime: Date;
    readonly ageSeconds: number;
    readonly deliveryCount: number;
}
/** The promise that a message is stored. `replayed`: the same call was accepted before. */
export interface Accepted {
    readonly messageId: string;
    readonly mode: Mode;
    readonly recipientState: RecipientState;
    readonly replayed: boolean;
}
/** The sender's view of a message, as it stands. */
export interface SentMessage {
    readonly messageId: string;
    readonly recipientSessionId: string;
    readonly recipientHandle: string | undefined;
    readonly owner: Owner;
    readonly mode: Mode;
    readonly state: MessageState;
    readonly acceptTime: Date;
    readonly admitTime: Date | undefined;
    readonly claimTime: Date | undefined;
    readonly consumeTime: Date | undefined;
    readonly discardTime: Date | undefined;
    readonly discardReason: DiscardReason | undefined;
    readonly held: boolean;
    readonly heldReason: string;
    readonly heldTime: Date | undefined;
    readonly deliveryCount: number;
    readonly expireTime: Date | undefined;
    readonly runId: string | undefined;
    readonly toolCallId: string | undefined;
}
/** A producer's registration with a session. It lapses at `leaseExpireTime` unless it is renewed. */
export interface Registration {
    readonly producerId: string;
    readonly sessionId: string;
    readonly owner: Owner;
    readonly ownerName: string;
    readonly clientProducerId: string;
    readonly description: string;
    readonly createTime: Date;
    readonly leaseExpireTime: Date;
}
/** One tool as a session's model may see it; `parameters` is a JSON Schema, draft 2020-12. */
export interface Tool {
    readonly name: string;
    readonly description: string;
    readonly parameters: Readonly<Record<string, unknown>>;
}
/** What a tool call came to: `text` is for the model, also when the call was refused (`isError`, `code`). */
export interface ToolResult {
    readonly text: string;
    readonly isError: boolean;
    readonly code: string;
    readonly structured: Readonly<Record<string, unknown>>;
}
/** A question to a person, one for each tool call of a run; `arguments` are those of the tool `toolName`. */
export interface Approval {
    readonly approvalId: string;
    readonly sessionId: string;
    readonly rootSessionId: string;
    readonly runId: string;
    readonly toolCallId: string;
    readonly toolName: string;
    readonly recipientSessionId: string;
    readonly arguments: Readonly<Record<string, unknown>>;
    readonly state: ApprovalState;
    readonly decision: ApprovalDecision | undefined;
    readonly reason: string;
    readonly createTime: Date;
    readonly decideTime: Date | undefined;
    readonly expireTime: Date | undefined;
}
/** A session with mail needs a run: `runtime.run(offer, ...)` starts it. */
export interface Offer {
    readonly wakeId: string;
    readonly sessionId: string;
    readonly rootSessionId: string;
    readonly agent: string;
    readonly offerNumber: number;
    readonly expireTime: Date;
    readonly pendingCount: number;
}
/** A token without its secret. */
export interface Token {
    readonly tokenId: string;
    readonly kind: TokenKind;
    readonly pluginName: string;
    readonly sessionIds: readonly string[];
    readonly createTime: Date;
    readonly expireTime: Date | undefined;
    readonly revokeTime: Date | undefined;
}
/** A token just made. The secret is shown this once. */
export interface NewToken {
    readonly tokenId: string;
    readonly secret: string;
}
/** What server this is. */
export interface ServerInfo {
    readonly protocolVersion: number;
    readonly protocolVersionMin: number;
    readonly serverVersion: string;
    readonly logId: string;
    readonly serverTime: Date;
    readonly requestBytesMax: number;
}
