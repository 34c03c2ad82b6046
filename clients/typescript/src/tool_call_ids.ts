// The identity of a tool call: unique within its run, though some models use an id again.

import { createHash } from "node:crypto";

const TOOL_CALL_ID_BYTES_MAX = 256;

/**
 * Returns the id that the service knows a model's tool call by: the turn, then the model's own id.
 *
 * The turn is named by its claim and not by its number, which begins anew when a runtime resumes a run after a crash. An
 * id that would be longer than 256 bytes is replaced by its digest.
 */
export function toolCallIdOf(claimSeq: bigint, modelId: string): string {
  const prefix = `${claimSeq}:`;
  if (prefix.length + Buffer.byteLength(modelId, "utf8") > TOOL_CALL_ID_BYTES_MAX) {
    return `${prefix}sha256-${createHash("sha256").update(modelId, "utf8").digest("hex")}`;
  }
  return prefix + modelId;
}
