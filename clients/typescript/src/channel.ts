// The connection: target, TLS, keepalive, and what every call says of itself.

import { isIP } from "node:net";

import type { Interceptor, Transport } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { PROTOCOL_VERSION } from "@kinpost/protocol";

import { Connection } from "./connection.js";
import { keepTextWhole } from "./whole_text.js";

const VERSION_KEY = "kinpost-protocol-version";
// A claim carries up to 1 MiB of bodies, raw and rendered; a body larger than that comes alone.
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;
// Pings count as this connection's life, so that it is kept although nothing is said on it.
const IDLE_SECONDS_MAX = 24 * 3600;

/** How a connection is made and kept. */
export interface ChannelOptions {
  readonly token: string | undefined;
  readonly tls: boolean | undefined;
  readonly rootCertificates: string | Uint8Array | undefined;
  readonly keepaliveSeconds: number;
  readonly keepaliveTimeoutSeconds: number;
}

/** One connection, opened with the first call and again after it broke. */
export class Channel {
  /** What carries the calls. */
  readonly transport: Transport;
  readonly #connection: Connection;
  #closed = false;

  /** Throws TypeError for a target that is not `host:port`, and for contradictions. */
  constructor(target: string, options: ChannelOptions) {
    if (options.rootCertificates !== undefined && options.tls === false) {
      throw new TypeError("rootCertificates are given, but tls is false");
    }
    const local = isLoopback(target);
    keepTextWhole();
    const secure = options.rootCertificates !== undefined || (options.tls ?? !local);
    const baseUrl = `${secure ? "https" : "http"}://${target}`;
    this.#connection = new Connection(
      baseUrl,
      {
        // A quiet stream must notice that its server is gone; the server allows pings every 10 s.
        pingIntervalMs: options.keepaliveSeconds * 1000,
        pingTimeoutMs: options.keepaliveTimeoutSeconds * 1000,
        pingIdleConnection: true,
        idleConnectionTimeoutMs: IDLE_SECONDS_MAX * 1000,
      },
      options.rootCertificates === undefined ? {} : { ca: Buffer.from(options.rootCertificates) },
    );
    this.transport = createGrpcTransport({
      baseUrl,
      sessionManager: this.#connection,
      interceptors: [speaking(options.token)],
      readMaxBytes: MESSAGE_BYTES_MAX,
    });
  }

  /** Throws when the channel is closed. */
  check(): void {
    if (this.#closed) {
      throw new Error("the client is closed");
    }
  }

  /** Gives up a connection that does not come about, so that the next call tries a new one. */
  giveUpConnecting(): void {
    if (this.#connection.state() === "connecting") {
      this.#connection.abort();
    }
  }

  /** Breaks off whatever is on its way. */
  close(): void {
    this.#closed = true;
    this.#connection.abort();
  }
}

/** Whether a target never leaves this machine. Throws TypeError for one that is not `host:port`. */
export function isLoopback(target: string): boolean {
  const host = hostOf(target);
  return host === "localhost" || host === "[::1]" || (isIP(host) === 4 && host.startsWith("127."));
}

/** Returns the host in its usual form. */
function hostOf(target: string): string {
  try {
    const url = new URL(`http://${target}`);
    if (/^[^/?#@\s]+:\d+$/.test(target)) {
      return url.hostname;
    }
  } catch {
    // said below
  }
  throw new TypeError(`${JSON.stringify(target)} is not host:port`);
}

/** Says with each call which version of the protocol is spoken, and by whom. */
function speaking(token: string | undefined): Interceptor {
  return (next) => (request) => {
    request.header.set(VERSION_KEY, String(PROTOCOL_VERSION));
    if (token !== undefined) {
      request.header.set("authorization", `Bearer ${token}`);
    }
    return next(request);
  };
}
