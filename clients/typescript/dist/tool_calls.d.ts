import type { Calls, Patience } from "./calls.js";
import type { Tool, ToolResult } from "./records.js";
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
export declare function listTools(calls: Calls, sessionId: string, patience?: Patience): Promise<Tool[]>;
/**
 * Carries out one tool call; repeating it with the same ids returns the first acceptance. Throws KinpostError.
 *
 * What the tool refuses is a result, not an exception; so is an approval that nobody answered in time.
 */
export declare function callTool(calls: Calls, call: ToolCall, approvalWaitSeconds: number | undefined, patience?: Patience): Promise<ToolResult>;
/** Returns arguments as the service wants them. */
export declare function argumentsJson(given: ToolArguments): string;
