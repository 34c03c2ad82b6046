import type { Transport } from "@connectrpc/connect";
/** How a connection is made and kept. */
export interface ChannelOptions {
    readonly token: string | undefined;
    readonly tls: boolean | undefined;
    readonly rootCertificates: string | Uint8Array | undefined;
    readonly keepaliveSeconds: number;
    readonly keepaliveTimeoutSeconds: number;
}
/** One connection, opened with the first call and again after it broke. */
export declare class Channel {
    #private;
    /** What carries the calls. */
    readonly transport: Transport;
    /** Throws TypeError for a target that is not `host:port`, and for contradictions. */
    constructor(target: string, options: ChannelOptions);
    /** Throws when the channel is closed. */
    check(): void;
    /** Gives up a connection that does not come about, so that the next call tries a new one. */
    giveUpConnecting(): void;
    /** Breaks off whatever is on its way. */
    close(): void;
}
/** Whether a target never leaves this machine. Throws TypeError for one that is not `host:port`. */
export declare function isLoopback(target: string): boolean;
