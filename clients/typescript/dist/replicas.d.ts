import type { Transport } from "@connectrpc/connect";
import type { Connection } from "./connection.js";
/** One server of a service: the connection to it, and what carries calls there. */
export interface Replica {
    readonly connection: Connection;
    readonly transport: Transport;
}
/** Carries calls to the current replica. Which one that is, is left to chance, so that clients are spread. */
export declare class Replicas implements Transport {
    #private;
    constructor(replicas: readonly [Replica, ...Replica[]]);
    /** The one that the next call goes to. */
    get current(): Replica;
    readonly unary: Transport["unary"];
    readonly stream: Transport["stream"];
    /** Goes on at another replica if this one has failed, and is the current one still; returns whether it does. */
    leave(replica: Replica, failure: unknown): boolean;
    /** Breaks off every connection. */
    abort(): void;
}
