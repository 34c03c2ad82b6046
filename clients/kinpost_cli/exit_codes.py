"""The exit codes of all commands, for every `--help`. Nothing is imported here, so that no command waits for it."""

from __future__ import annotations

EXIT_FOUND = 1
EXIT_USAGE = 2
EXIT_DATA = 3
EXIT_REFUSED = 4
EXIT_NOT_FOUND = 5
EXIT_TOKEN = 6
EXIT_NO_ANSWER = 7
EXIT_VERSION = 8
EXIT_INTERRUPTED = 130
EXIT_BROKEN_PIPE = 141

EXIT_CODES = {
    0: "done",
    EXIT_FOUND: "what was examined is not sound, or demo missed a step",
    EXIT_USAGE: "wrong use, or a name that fits several",
    EXIT_DATA: "the data folder cannot be used",
    EXIT_REFUSED: "the server refused",
    EXIT_NOT_FOUND: "there is no such thing",
    EXIT_TOKEN: "the token is missing, invalid, or not for this",
    EXIT_NO_ANSWER: "no server answers, or it cannot now",
    EXIT_VERSION: "the server speaks another version, or does not serve this",
    EXIT_INTERRUPTED: "Ctrl-C",
    EXIT_BROKEN_PIPE: "whoever read the output has left",
}
EPILOG = f"Exit codes: {'; '.join(f'{code} {meaning}' for code, meaning in EXIT_CODES.items())}."
