// Waiting: for a time, for a change, and not for ever.

/** Waits so many seconds. Rejects with the signal's reason when it fires first. */
export function sleep(seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, seconds * 1000);
    if (signal?.aborted) {
      stop();
    } else {
      signal?.addEventListener("abort", stop, { once: true });
    }
  });
}

/** Returns what the promise comes to, or rejects with `late()` when that takes longer than so many seconds. */
export async function within<T>(seconds: number, promise: Promise<T>, late: () => unknown): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), seconds * 1000);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** A signal that fires some seconds after another one. `done` lets go of it. */
export function afterwards(signal: AbortSignal, seconds: number): { signal: AbortSignal; done: () => void } {
  const aborter = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const start = () => {
    timer = setTimeout(() => aborter.abort(signal.reason), seconds * 1000);
  };
  if (signal.aborted) {
    start();
  } else {
    signal.addEventListener("abort", start, { once: true });
  }
  return {
    signal: aborter.signal,
    done: () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", start);
    },
  };
}

/** Something that changes, and those who wait for it to. */
export class Change {
  readonly #waiting = new Set<() => void>();

  /** Wakes all who wait. */
  notify(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) {
      wake();
    }
  }

  /** Waits for the next change, or for the signal: what is so afterwards, the caller has to look. */
  wait(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake);
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      if (signal?.aborted) {
        resolve();
        return;
      }
      this.#waiting.add(wake);
      signal?.addEventListener("abort", wake, { once: true });
    });
  }
}
