// Between the wire's numbers, instants and durations, and this client's words, dates and seconds.
import { durationFromMs, timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
/** Returns the word for a number of the wire, "unknown" for one that this client has no word for. */
export function wordOf(kind, number) {
    const name = kind[number];
    return name === undefined || number === 0 ? "unknown" : String(name).toLowerCase();
}
/** Returns the wire's number for a word. Throws TypeError, naming what it may be. */
export function numberOf(kind, word) {
    const words = Object.keys(kind)
        .filter((name) => Number.isNaN(Number(name)) && name !== "UNSPECIFIED")
        .map((name) => name.toLowerCase());
    if (!words.includes(word)) {
        throw new TypeError(`${JSON.stringify(word)} is none of ${words.join(", ")}`);
    }
    return kind[word.toUpperCase()];
}
/** Returns a wire instant as a date; one that must be there and is not is the epoch. */
export function instant(timestamp) {
    return timestamp === undefined ? new Date(0) : timestampDate(timestamp);
}
/** Returns a wire instant as a date, if there is one. */
export function instantIfAny(timestamp) {
    return timestamp === undefined ? undefined : timestampDate(timestamp);
}
/** Returns a date as a wire instant. Throws TypeError for an invalid one. */
export function timestamp(when) {
    if (Number.isNaN(when.getTime())) {
        throw new TypeError("an instant needs a valid date");
    }
    return timestampFromDate(when);
}
/** Returns a wire duration in seconds; 0 when there is none. */
export function seconds(duration) {
    return duration === undefined ? 0 : Number(duration.seconds) + duration.nanos / 1e9;
}
/** Returns seconds as a wire duration, to the millisecond. */
export function duration(length) {
    return durationFromMs(Math.round(length * 1000));
}
