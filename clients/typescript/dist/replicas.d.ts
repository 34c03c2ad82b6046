import type { Transport } from "@connectrpc/connect";
import type { Connection } from "./connection.js";
/** One server of a service: the connection to it, and what carries calls there. */
export interface Replica {
    readonly connection: Connection;
    readonly transport: Transport;
}
/** Carries calls to the current replica. Which one is the first is left to chance, so that clients are spread. */
export declare class Replicas implements Transport {
    #private;
    constructor(replicas: readonly [Replica, ...Replica[]]);
    /** The one that the next call goes to. */
    get current(): Replica;
    readonly unary: Transport["unary"];
    readonly stream: Transport["stream"];
    /** Goes on at the next replica, if this one has failed and is the current one still. */
    leave(replica: Replica, failure: unknown): void;
    /** Breaks off every connection. */
    abort(): void;
}
