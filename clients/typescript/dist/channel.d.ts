import type { Transport } from "@connectrpc/connect";
import { type Replica } from "./replicas.js";
/** How a connection is made and kept. */
export interface ChannelOptions {
    readonly token: string | undefined;
    readonly tls: boolean | undefined;
    readonly rootCertificates: string | Uint8Array | undefined;
    readonly keepaliveSeconds: number;
    readonly keepaliveTimeoutSeconds: number;
}
/** The connections to a service, each opened with the first call on it and again after it broke. */
export declare class Channel {
    #private;
    /** Throws TypeError for a target of another form, and for contradictions. */
    constructor(target: string, options: ChannelOptions);
    /** What carries the calls. */
    get transport(): Transport;
    /** The replica that the next call goes to. */
    get replica(): Replica;
    /** Throws when the channel is closed. */
    check(): void;
    /**
     * Hears how a call to a replica failed: the next one may go to another for it.
     *
     * Returns how many seconds the service asks to wait before; what one replica asks for does not hold for another.
     */
    leave(replica: Replica, failure: unknown): number;
    /** Breaks off whatever is on its way. */
    close(): void;
}
