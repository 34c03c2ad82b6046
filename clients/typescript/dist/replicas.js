// The replicas of one service: calls go to one of them for as long as it answers, and then to the next.
import { DeadlineExceeded, EngineShutdown, ShuttingDown, StorageUnavailable, Unreachable } from "./errors.js";
// What another one may do better. A refusal is every replica's.
const FAULTS = [DeadlineExceeded, EngineShutdown, ShuttingDown, StorageUnavailable, Unreachable];
/** Carries calls to the current replica. Which one is the first is left to chance, so that clients are spread. */
export class Replicas {
    #replicas;
    #current;
    constructor(replicas) {
        this.#replicas = replicas;
        this.#current = replicas[Math.floor(Math.random() * replicas.length)] ?? replicas[0];
    }
    /** The one that the next call goes to. */
    get current() {
        return this.#current;
    }
    unary = (method, signal, timeoutMs, header, input, contextValues) => this.#current.transport.unary(method, signal, timeoutMs, header, input, contextValues);
    stream = (method, signal, timeoutMs, header, input, contextValues) => this.#current.transport.stream(method, signal, timeoutMs, header, input, contextValues);
    /** Goes on at the next replica, if this one has failed and is the current one still. */
    leave(replica, failure) {
        if (replica === this.#current && FAULTS.some((fault) => failure instanceof fault)) {
            const next = this.#replicas.indexOf(replica) + 1;
            this.#current = this.#replicas[next] ?? this.#replicas[0];
        }
    }
    /** Breaks off every connection. */
    abort() {
        for (const { connection } of this.#replicas) {
            connection.abort();
        }
    }
}
