/** Waits so many seconds. Rejects with the signal's reason when it fires first. */
export declare function sleep(seconds: number, signal?: AbortSignal): Promise<void>;
/** Returns what the promise comes to, or rejects with `late()` when that takes longer than so many seconds. */
export declare function within<T>(seconds: number, promise: Promise<T>, late: () => unknown): Promise<T>;
/** A signal that fires some seconds after another one. `done` lets go of it. */
export declare function afterwards(signal: AbortSignal, seconds: number): {
    signal: AbortSignal;
    done: () => void;
};
/** Something that changes, and those who wait for it to. */
export declare class Change {
    #private;
    /** Wakes all who wait. */
    notify(): void;
    /** Waits for the next change, or for the signal: what is so afterwards, the caller has to look. */
    wait(signal?: AbortSignal): Promise<void>;
}
