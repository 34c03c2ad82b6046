import type { ClientHttp2Stream } from "node:http2";
import { Http2SessionManager } from "@connectrpc/connect-node";
/**
 * Keeps one connection alive with pings, and opens it again after it broke.
 *
 * As long as pings go out on an idle connection, connect-node 2.1.2 starts its timer for the next one once more when the
 * last stream of a broken connection closes. Node throws at a ping on a destroyed connection, and thrown from a timer
 * that would end the program. Here such a ping fails as any other does.
 *
 * Where nothing answers, it would connect for as long as the system lets it, minutes, and keep the program from its end
 * for as long, closed or not. Here that is given up after some seconds, and with the connection its socket goes.
 */
export declare class Connection extends Http2SessionManager {
    #private;
    constructor(baseUrl: string, pings: ConstructorParameters<typeof Http2SessionManager>[1], rootCertificates: string | Uint8Array | undefined);
    request(...call: Parameters<Http2SessionManager["request"]>): Promise<ClientHttp2Stream>;
    abort(reason?: Error): void;
}
