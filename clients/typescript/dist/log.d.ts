/** Takes a line for people: what was repeated, what went wrong behind the scenes. Tokens and bodies are never in it. */
export type Log = (level: "info" | "warning" | "error", text: string, error?: unknown) => void;
/** Writes warnings and errors to the console's error stream. */
export declare const logToConsole: Log;
/** Returns the one line that a thrown value comes to. */
export declare function described(error: unknown): string;
