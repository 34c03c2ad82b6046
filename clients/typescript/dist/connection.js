// The HTTP/2 connection beneath the calls, with two faults of its keeper mended.
import { connect as connectPlainly, isIP } from "node:net";
import { connect as connectSecurely } from "node:tls";
import { Http2SessionManager } from "@connectrpc/connect-node";
// A machine that is off says nothing. Shorter than an attempt may take, so that it counts as unreachable.
const CONNECT_SECONDS = 5;
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
export class Connection extends Http2SessionManager {
    #guarded = new WeakSet();
    #newest;
    constructor(baseUrl, pings, rootCertificates) {
        const newest = {};
        super(baseUrl, pings, {
            createConnection: (authority) => (newest.socket = socketTo(authority, rootCertificates)),
        });
        this.#newest = newest;
    }
    async request(...call) {
        const timer = setTimeout(() => this.#giveUpConnecting(), CONNECT_SECONDS * 1000);
        const stream = await super.request(...call).finally(() => clearTimeout(timer));
        const { session } = stream;
        if (session !== undefined && !this.#guarded.has(session)) {
            this.#guarded.add(session);
            guard(session);
        }
        return stream;
    }
    abort(reason) {
        const connecting = this.state() === "connecting";
        super.abort(reason);
        if (connecting) {
            this.#newest.socket?.destroy();
        }
    }
    /** So that the next call makes a new attempt. */
    #giveUpConnecting() {
        if (this.state() === "connecting") {
            this.abort();
        }
    }
}
/** Opens what `http2.connect` would open by itself. */
function socketTo(authority, rootCertificates) {
    const secure = authority.protocol === "https:";
    const place = {
        host: authority.hostname.replace(/^\[|\]$/g, ""),
        port: Number(authority.port || (secure ? 443 : 80)), // a URL does not tell its usual port
    };
    if (!secure) {
        return connectPlainly(place);
    }
    return connectSecurely({
        ...place,
        ALPNProtocols: ["h2"],
        ...(isIP(place.host) === 0 && { servername: place.host }),
        ...(rootCertificates !== undefined && { ca: Buffer.from(rootCertificates) }),
    });
}
function guard(session) {
    const ping = session.ping.bind(session);
    session.ping = ((callback) => {
        if (session.destroyed) {
            callback(new Error("the connection is destroyed"), 0, Buffer.alloc(0));
            return false;
        }
        return ping(callback);
    });
}
