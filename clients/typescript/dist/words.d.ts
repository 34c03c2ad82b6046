import { type Duration, type Timestamp } from "@bufbuild/protobuf/wkt";
type Words<Enum> = Lowercase<Exclude<keyof Enum, "UNSPECIFIED"> & string>;
/** Returns the word for a number of the wire, "unknown" for one that this client has no word for. */
export declare function wordOf<Enum extends object>(kind: Enum, number: number): Words<Enum> | "unknown";
/** Returns the wire's number for a word. Throws TypeError, naming what it may be. */
export declare function numberOf<Enum extends object>(kind: Enum, word: Words<Enum>): Enum[keyof Enum];
/** Returns a wire instant as a date; one that must be there and is not is the epoch. */
export declare function instant(timestamp: Timestamp | undefined): Date;
/** Returns a wire instant as a date, if there is one. */
export declare function instantIfAny(timestamp: Timestamp | undefined): Date | undefined;
/** Returns a date as a wire instant. Throws TypeError for an invalid one. */
export declare function timestamp(when: Date): Timestamp;
/** Returns a wire duration in seconds; 0 when there is none. */
export declare function seconds(duration: Duration | undefined): number;
/** Returns seconds as a wire duration, to the millisecond. */
export declare function duration(length: number): Duration;
export {};
