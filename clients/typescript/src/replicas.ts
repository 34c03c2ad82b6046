// The replicas of one service: calls go to one of them for as long as it answers, and then to the next.

import type { Transport } from "@connectrpc/connect";

import type { Connection } from "./connection.js";
import {
  DeadlineExceeded,
  EngineShutdown,
  Overloaded,
  ShuttingDown,
  StorageUnavailable,
  Unreachable,
} from "./errors.js";

/** One server of a service: the connection to it, and what carries calls there. */
export interface Replica {
  readonly connection: Connection;
  readonly transport: Transport;
}

// What another one may do better. Any other refusal is every replica's.
const FAULTS = [DeadlineExceeded, EngineShutdown, Overloaded, ShuttingDown, StorageUnavailable, Unreachable] as const;

/** Carries calls to the current replica. Which one that is, is left to chance, so that clients are spread. */
export class Replicas implements Transport {
  readonly #replicas: readonly [Replica, ...Replica[]];
  #current: Replica;

  constructor(replicas: readonly [Replica, ...Replica[]]) {
    this.#replicas = replicas;
    this.#current = anyOf(replicas) ?? replicas[0];
  }

  /** The one that the next call goes to. */
  get current(): Replica {
    return this.#current;
  }

  readonly unary: Transport["unary"] = (method, signal, timeoutMs, header, input, contextValues) =>
    this.#current.transport.unary(method, signal, timeoutMs, header, input, contextValues);

  readonly stream: Transport["stream"] = (method, signal, timeoutMs, header, input, contextValues) =>
    this.#current.transport.stream(method, signal, timeoutMs, header, input, contextValues);

  /** Goes on at another replica if this one has failed, and is the current one still; returns whether it does. */
  leave(replica: Replica, failure: unknown): boolean {
    if (replica !== this.#current || !FAULTS.some((fault) => failure instanceof fault)) {
      return false;
    }
    this.#current = anyOf(this.#replicas.filter((other) => other !== replica)) ?? replica;
    return replica !== this.#current;
  }

  /** Breaks off every connection. */
  abort(): void {
    for (const { connection } of this.#replicas) {
      connection.abort();
    }
  }
}

function anyOf(replicas: readonly Replica[]): Replica | undefined {
  return replicas[Math.floor(Math.random() * replicas.length)];
}
