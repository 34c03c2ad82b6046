// What the client has to say beside its answers.

/** Takes a line for people: what was repeated, what went wrong behind the scenes. Tokens and bodies are never in it. */
export type Log = (level: "info" | "warning" | "error", text: string, error?: unknown) => void;

/** Writes warnings and errors to the console's error stream. */
export const logToConsole: Log = (level, text, error) => {
  if (level !== "info") {
    console.error(`kinpost: ${level}: ${text}`, ...(error === undefined ? [] : [error]));
  }
};

/** Returns the one line that a thrown value comes to. */
export function described(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
