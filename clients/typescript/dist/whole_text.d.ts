/** What is wrong with a text that holds half of a surrogate pair. */
export declare const NOT_WHOLE = "holds a lone surrogate, which has no UTF-8 form";
/** Whether a text has a UTF-8 form. */
export declare function isWhole(text: string): boolean;
/**
 * Lets every protobuf message of this process carry its text as it is.
 *
 * protobuf-es 2.13 by itself writes U+FFFD for a lone surrogate, so that the recipient gets another text than was sent,
 * and drops a U+FEFF at the beginning of what it reads.
 */
export declare function keepTextWhole(): void;
