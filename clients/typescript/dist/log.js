// What the client has to say beside its answers.
/** Writes warnings and errors to the console's error stream. */
export const logToConsole = (level, text, error) => {
    if (level !== "info") {
        console.error(`kinpost: ${level}: ${text}`, ...(error === undefined ? [] : [error]));
    }
};
/** Returns the one line that a thrown value comes to. */
export function described(error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
