import type { ClientHttp2Stream } from "node:http2";
import { Http2SessionManager } from "@connectrpc/connect-node";
/**
 * Keeps one connection alive with pings, and opens it again after it broke.
 *
 * As long as pings go out on an idle connection, connect-node 2.1.2 starts its timer for the next one once more when the
 * last stream of a broken connection closes. Node throws at a ping on a destroyed connection, and thrown from a timer
 * that would end the program. Here such a ping fails as any other does.
 */
export declare class Connection extends Http2SessionManager {
    #private;
    request(...call: Parameters<Http2SessionManager["request"]>): Promise<ClientHttp2Stream>;
    /** Gives up an attempt to connect that does not come to an end, so that the next call makes a new one. */
    giveUpConnecting(): void;
}
