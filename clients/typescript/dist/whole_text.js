// Text as it is on the wire: neither shortened by a byte order mark nor mended where it cannot be.
import { configureTextEncoding } from "@bufbuild/protobuf/wire";
/** What is wrong with a text that holds half of a surrogate pair. */
export const NOT_WHOLE = "holds a lone surrogate, which has no UTF-8 form";
/** Whether a text has a UTF-8 form. */
export function isWhole(text) {
    return !/\p{Surrogate}/u.test(text);
}
/**
 * Lets every protobuf message of this process carry its text as it is.
 *
 * protobuf-es 2.13 by itself writes U+FFFD for a lone surrogate, so that the recipient gets another text than was sent,
 * and drops a U+FEFF at the beginning of what it reads.
 */
export function keepTextWhole() {
    const encoder = new TextEncoder();
    const lenient = new TextDecoder("utf-8", { ignoreBOM: true });
    const strict = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });
    configureTextEncoding({
        encodeUtf8(text) {
            if (!isWhole(text)) {
                throw new TypeError(NOT_WHOLE);
            }
            return encoder.encode(text);
        },
        decodeUtf8: (bytes, isStrict) => (isStrict ? strict : lenient).decode(bytes),
        checkUtf8: isWhole,
    });
}
