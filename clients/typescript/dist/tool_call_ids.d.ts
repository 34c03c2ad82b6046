/**
 * Returns the id that the service knows a model's tool call by: the turn, then the model's own id.
 *
 * The turn is named by its claim and not by its number, which begins anew when a runtime resumes a run after a crash. An
 * id that would be longer than 256 bytes is replaced by its digest.
 */
export declare function toolCallIdOf(claimSeq: bigint, modelId: string): string;
