// The connections: target, TLS, keepalive, and what every call says of itself.
import { isIP } from "node:net";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { PROTOCOL_VERSION } from "@kinpost/protocol";
import { Connection } from "./connection.js";
import { KinpostError } from "./errors.js";
import { Replicas } from "./replicas.js";
import { keepTextWhole } from "./whole_text.js";
const VERSION_KEY = "kinpost-protocol-version";
// A claim carries up to 1 MiB of bodies, raw and rendered; a body larger than that comes alone.
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;
// As gRPC writes several addresses of one service.
const ADDRESSES = /^ipv([46]):(.*)$/s;
// Pings count as this connection's life, so that it is kept although nothing is said on it.
const IDLE_SECONDS_MAX = 24 * 3600;
/** The connections to a service, each opened with the first call on it and again after it broke. */
export class Channel {
    #replicas;
    #closed = false;
    /** Throws TypeError for a target of another form, and for contradictions. */
    constructor(target, options) {
        if (options.rootCertificates !== undefined && options.tls === false) {
            throw new TypeError("rootCertificates are given, but tls is false");
        }
        const [first, ...others] = addressesOf(target);
        const secure = options.rootCertificates !== undefined || (options.tls ?? ![first, ...others].every(isLoopback));
        keepTextWhole();
        const reach = (address) => replicaAt(`${secure ? "https" : "http"}://${address}`, options);
        this.#replicas = new Replicas([reach(first), ...others.map(reach)]);
    }
    /** What carries the calls. */
    get transport() {
        return this.#replicas;
    }
    /** The replica that the next call goes to. */
    get replica() {
        return this.#replicas.current;
    }
    /** Throws when the channel is closed. */
    check() {
        if (this.#closed) {
            throw new Error("the client is closed");
        }
    }
    /**
     * Hears how a call to a replica failed: the next one may go to another for it.
     *
     * Returns how many seconds the service asks to wait before; what one replica asks for does not hold for another.
     */
    leave(replica, failure) {
        const elsewhere = this.#replicas.leave(replica, failure);
        return elsewhere || !(failure instanceof KinpostError) ? 0 : (failure.retryAfterSeconds ?? 0);
    }
    /** Breaks off whatever is on its way. */
    close() {
        this.#closed = true;
        this.#replicas.abort();
    }
}
function replicaAt(baseUrl, options) {
    const connection = new Connection(baseUrl, {
        // A quiet stream must notice that its server is gone; the server allows pings every 10 s.
        pingIntervalMs: options.keepaliveSeconds * 1000,
        pingTimeoutMs: options.keepaliveTimeoutSeconds * 1000,
        pingIdleConnection: true,
        idleConnectionTimeoutMs: IDLE_SECONDS_MAX * 1000,
    }, options.rootCertificates);
    const transport = createGrpcTransport({
        baseUrl,
        sessionManager: connection,
        interceptors: [speaking(options.token)],
        readMaxBytes: MESSAGE_BYTES_MAX,
    });
    return { connection, transport };
}
/** Returns a target's addresses, each `host:port`. Throws TypeError for a target of another form. */
function addressesOf(target) {
    const [, version, listed] = ADDRESSES.exec(target) ?? [];
    if (listed === undefined) {
        hostOf(target);
        return [target];
    }
    const addresses = listed.split(",");
    for (const address of addresses) {
        if (isIP(hostOf(address).replace(/^\[|\]$/g, "")) !== Number(version)) {
            throw new TypeError(`${JSON.stringify(address)} is no address of IPv${version} with a port`);
        }
    }
    return addresses;
}
/** Whether `host:port` never leaves this machine. */
function isLoopback(address) {
    const host = hostOf(address);
    return host === "localhost" || host === "[::1]" || (isIP(host) === 4 && host.startsWith("127."));
}
/** Returns the host in its usual form. */
function hostOf(target) {
    try {
        const url = new URL(`http://${target}`);
        if (/^[^/?#@\s]+:\d+$/.test(target)) {
            return url.hostname;
        }
    }
    catch {
        // said below
    }
    throw new TypeError(`${JSON.stringify(target)} is not host:port`);
}
/** Says with each call which version of the protocol is spoken, and by whom. */
function speaking(token) {
    return (next) => (request) => {
        request.header.set(VERSION_KEY, String(PROTOCOL_VERSION));
        if (token !== undefined) {
            request.header.set("authorization", `Bearer ${token}`);
        }
        return next(request);
    };
}
