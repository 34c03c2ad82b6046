import { type CreateSessionRequest } from "@kinpost/protocol";
import type { Decision, Said, SessionState, Starter } from "./terms.js";
/** Patterns of relationships (`parent`, `child`, `sibling`, `*`) with what they say. */
export type MessageRules = Readonly<Record<string, Said<Decision>>>;
/** What a session of another system brings along: `state` is idle or an outcome, `handle` its handle there. */
export interface Imported {
    readonly state: Said<SessionState>;
    readonly handle?: string | undefined;
    readonly createTime?: Date | undefined;
}
/** What is wished of a child session, beside its agent. */
export interface ChildWishes {
    /** Mail for its first run, at most 256 KiB. */
    readonly firstMessage?: string | undefined;
    /** What it is for, at most 1024 bytes. */
    readonly description?: string | undefined;
    /** Its rules as fields; with neither these nor a document the agent's built-in rules hold, which are none. */
    readonly messageRules?: MessageRules | undefined;
    /** Markdown with YAML front matter that holds the rules. */
    readonly agentDocument?: string | undefined;
    /** Who starts its first run. */
    readonly starter?: Said<Starter> | undefined;
    /** Your own UUID for it: a repeat returns the same session. */
    readonly sessionId?: string | undefined;
}
/** What is wished of a session, beside its agent. */
export interface SessionWishes extends ChildWishes {
    readonly parentSessionId?: string | undefined;
    readonly withoutHandle?: boolean | undefined;
    readonly imported?: Imported | undefined;
}
/** The run and the tool call that delegate a child. */
export interface Delegating {
    readonly parentRunId: string;
    readonly parentToolCallId: string;
}
/**
 * Returns the request, with a session id of our own when none was given, so that repeating it is safe.
 *
 * Throws TypeError for rules given twice, and for words that are none of the contract's.
 */
export declare function creation(agent: string, wishes: SessionWishes, delegating?: Delegating): CreateSessionRequest;
