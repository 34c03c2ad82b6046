// The HTTP/2 connection beneath the calls, with one fault of its keeper mended.

import type { ClientHttp2Session, ClientHttp2Stream, Http2Session } from "node:http2";

import { Http2SessionManager } from "@connectrpc/connect-node";

type Ping = (callback: (error: Error | null, duration: number, payload: Buffer) => void) => boolean;

/**
 * Keeps one connection alive with pings, and opens it again after it broke.
 *
 * As long as pings go out on an idle connection, connect-node 2.1.2 starts its timer for the next one once more when the
 * last stream of a broken connection closes. Node throws at a ping on a destroyed connection, and thrown from a timer
 * that would end the program. Here such a ping fails as any other does.
 */
export class Connection extends Http2SessionManager {
  readonly #guarded = new WeakSet<Http2Session>();

  override async request(
    ...call: Parameters<Http2SessionManager["request"]>
  ): Promise<ClientHttp2Stream> {
    const stream = await super.request(...call);
    const { session } = stream;
    if (session !== undefined && !this.#guarded.has(session)) {
      this.#guarded.add(session);
      guard(session as ClientHttp2Session);
    }
    return stream;
  }

  /** Gives up an attempt to connect that does not come to an end, so that the next call makes a new one. */
  giveUpConnecting(): void {
    if (this.state() === "connecting") {
      this.abort();
    }
  }
}

function guard(session: ClientHttp2Session): void {
  const ping = session.ping.bind(session) as Ping;
  session.ping = ((callback: Parameters<Ping>[0]) => {
    if (session.destroyed) {
      callback(new Error("the connection is destroyed"), 0, Buffer.alloc(0));
      return false;
    }
    return ping(callback);
  }) as typeof session.ping;
}
