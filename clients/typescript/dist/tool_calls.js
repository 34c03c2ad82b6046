// The tools of a session's model: what it sees, and what its calls come to.
import { answered } from "./approvals.js";
import * as convert from "./convert.js";
const PENDING_CODE = "approval:pending";
/** Returns what the session's model may see; may be empty. Throws SessionNotFound. */
export async function listTools(calls, sessionId, patience = {}) {
    const answer = await calls.unary((options) => calls.tools.listTools({ sessionId }, options), patience);
    return answer.tools.map(convert.tool);
}
/**
 * Carries out one tool call; repeating it with the same ids returns the first acceptance. Throws KinpostError.
 *
 * What the tool refuses is a result, not an exception; so is an approval that nobody answered in time.
 */
export async function callTool(calls, call, approvalWaitSeconds, patience = {}) {
    const answer = await answered((wait) => calls.unary((options) => calls.tools.callTool({ ...call, ...wait.field }, options), {
        ...patience,
        ...wait.patience,
    }), (answer) => answer.code === PENDING_CODE, approvalWaitSeconds, patience.signal);
    const structured = answer.structuredJson ? JSON.parse(answer.structuredJson) : {};
    return { text: answer.text, isError: answer.isError, code: answer.code, structured };
}
/** Returns arguments as the service wants them. */
export function argumentsJson(given) {
    return typeof given === "string" ? given : JSON.stringify(given);
}
