// What is asked of a new session.

import { randomUUID } from "node:crypto";

import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  type CreateSessionRequest,
  CreateSessionRequestSchema,
  RuleDecision,
  SessionState as WireState,
  Starter as WireStarter,
} from "@kinpost/protocol";

import type { Decision, Said, SessionState, Starter } from "./terms.js";
import { numberOf, timestamp } from "./words.js";

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
export function creation(agent: string, wishes: SessionWishes, delegating?: Delegating): CreateSessionRequest {
  const { messageRules, agentDocument, starter, firstMessage, imported } = wishes;
  if (messageRules !== undefined && agentDocument !== undefined) {
    throw new TypeError("messageRules and agentDocument exclude each other");
  }
  const request: MessageInitShape<typeof CreateSessionRequestSchema> = {
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
