// The tools of a session's model: what it sees, and what its calls come to.

import { answered } from "./approvals.js";
import type { Calls, Patience } from "./calls.js";
import * as convert from "./convert.js";
import type { Tool, ToolResult } from "./records.js";

const PENDING_CODE = "approval:pending";

/** How long a call waits for a person. */
export interface ApprovalWait {
  /** Where a person is asked: undefined for as long as it takes, 0 for not at all. */
  readonly approvalWaitSeconds?: number | undefined;
}

/** One call of a model's. */
export interface ToolCall {
  readonly sessionId: string;
  readonly runId: string;
  readonly toolCallId: string;
  readonly name: string;
  readonly argumentsJson: string;
}

/** A model's arguments: its JSON, raw, or the object that it stands for. */
export type ToolArguments = string | Readonly<Record<string, unknown>>;

/** Returns what the session's model may see; may be empty. Throws SessionNotFound. */
export async function listTools(calls: Calls, sessionId: string, patience: Patience = {}): Promise<Tool[]> {
  const answer = await calls.unary((options) => calls.tools.listTools({ sessionId }, options), patience);
  return answer.tools.map(convert.tool);
}

/**
 * Carries out one tool call; repeating it with the same ids returns the first acceptance. Throws KinpostError.
 *
 * What the tool refuses is a result, not an exception; so is an approval that nobody answered in time.
 */
export async function callTool(
  calls: Calls,
  call: ToolCall,
  approvalWaitSeconds: number | undefined,
  patience: Patience = {},
): Promise<ToolResult> {
  const answer = await answered(
    (wait) =>
      calls.unary((options) => calls.tools.callTool({ ...call, ...wait.field }, options), {
        ...patience,
        ...wait.patience,
      }),
    (answer) => answer.code === PENDING_CODE,
    approvalWaitSeconds,
    patience.signal,
  );
  const structured = answer.structuredJson ? JSON.parse(answer.structuredJson) : {};
  return { text: answer.text, isError: answer.isError, code: answer.code, structured };
}

/** Returns arguments as the service wants them. */
export function argumentsJson(given: ToolArguments): string {
  return typeof given === "string" ? given : JSON.stringify(given);
}
