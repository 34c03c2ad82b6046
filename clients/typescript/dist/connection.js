// The HTTP/2 connection beneath the calls, with one fault of its keeper mended.
import { Http2SessionManager } from "@connectrpc/connect-node";
/**
 * Keeps one connection alive with pings, and opens it again after it broke.
 *
 * As long as pings go out on an idle connection, connect-node 2.1.2 starts its timer for the next one once more when the
 * last stream of a broken connection closes. Node throws at a ping on a destroyed connection, and thrown from a timer
 * that would end the program. Here such a ping fails as any other does.
 */
export class Connection extends Http2SessionManager {
    #guarded = new WeakSet();
    async request(...call) {
        const stream = await super.request(...call);
        const { session } = stream;
        if (session !== undefined && !this.#guarded.has(session)) {
            this.#guarded.add(session);
            guard(session);
        }
        return stream;
    }
    /** Gives up an attempt to connect that does not come to an end, so that the next call makes a new one. */
    giveUpConnecting() {
        if (this.state() === "connecting") {
            this.abort();
        }
    }
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
