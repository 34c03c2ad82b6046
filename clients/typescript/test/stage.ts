// What a test plays on: a real server at KINPOST_ADDRESS, clients, an office of two agents, and a wire that can be cut.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { connect as open } from "node:net";
import { createInterface } from "node:readline";
import nodeTest from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";

import {
  type Client,
  connect,
  type ConnectOptions,
  type Event,
  type EventType,
  type KnownEvent,
  type Log,
  type Offer,
  type Runtime,
  type RuntimeOptions,
  type Session,
} from "@kinpost/client";

import { Wire } from "./wire.js";

const PATIENCE_SECONDS = 60;

/** Returns a value that the caller of the tests has set. */
export function told(name: string): string {
  const value = process.env[name];
  assert.ok(value, `${name} is not set`);
  return value;
}

const warnings: string[] = [];
process.on("warning", (warning) => warnings.push(String(warning)));

/** Defines a test, with a stage of its own; what was opened on it is closed. Node's own warnings fail it. */
export function test(name: string, body: (stage: Stage) => Promise<void>): void {
  nodeTest(name, async () => {
    const stage = new Stage();
    try {
      await body(stage);
    } finally {
      await stage.close();
    }
    assert.deepEqual(warnings.splice(0), []);
  });
}

/** Waits for something, but not for ever. */
export async function soon<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("it takes too long")), PATIENCE_SECONDS * 1000);
  });
  return await Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Looks again and again until it is so, but not for ever. */
export async function eventually(isSo: () => Promise<boolean>): Promise<void> {
  const giveUpTime = performance.now() + PATIENCE_SECONDS * 1000;
  while (!(await isSo())) {
    await nextTurn(); // or what is waited for could not happen
    assert.ok(performance.now() < giveUpTime, "it takes too long");
  }
}

/** A promise and what fulfils it. */
export function signalled<T = void>(): { promise: Promise<T>; done: (value: T) => void } {
  let done: (value: T) => void = () => {};
  const promise = new Promise<T>((resolve) => {
    done = resolve;
  });
  return { promise, done };
}

/** Waits until the signal fires, and throws its reason, as a model's call does. */
export async function neverAnswered(signal: AbortSignal): Promise<never> {
  const fired = signalled();
  signal.addEventListener("abort", () => fired.done(), { once: true });
  if (!signal.aborted) {
    await fired.promise;
  }
  throw signal.reason;
}

/** Returns the next offer. */
export async function offered(runtime: Runtime): Promise<Offer> {
  const next = await soon(runtime.offers().next());
  assert.ok(!next.done);
  return next.value;
}

/** Asks whoever started the server to "kill", "start", "stop" or "restart" it, these gracefully; of several, this one. */
export async function server(order: "kill" | "start" | "stop" | "restart", number = 0): Promise<void> {
  const [host, port] = told("KINPOST_CONTROL").split(":");
  const socket = open(Number(port), host);
  socket.write(`${order} ${number}\n`);
  const lines = createInterface(socket)[Symbol.asyncIterator]();
  assert.deepEqual(await soon(lines.next()), { done: false, value: "done" });
  socket.destroy();
}

/** The payload of an event that is known to be of a type. */
export type PayloadOf<Type extends EventType> = Extract<KnownEvent, { type: Type }>["payload"];

/** A parent and its child, hosted by one token, with clients of that token, of an admin and of an approver. */
export interface Tree {
  readonly host: Client;
  readonly admin: Client;
  readonly approver: Client;
  readonly parent: Session;
  readonly child: Session;
  readonly secret: string;
}

/** One test's clients, runtimes and wires. */
export class Stage {
  /** What the clients had to say. */
  readonly logged: [level: string, text: string, error?: unknown][] = [];
  readonly #closing: (() => unknown)[] = [];
  readonly #log: Log = (...line) => this.logged.push(line);

  /** Connects a client that is closed after the test. */
  link(secret: string | undefined, options: ConnectOptions = {}, address = told("KINPOST_ADDRESS")): Client {
    const retry = { firstSeconds: 0.02, maxSeconds: 0.2, giveUpSeconds: 30, ...options.retry };
    const client = connect(address, { token: secret, log: this.#log, ...options, retry });
    this.#closing.push(() => client.close());
    return client;
  }

  /** An admin's client. */
  admin(): Client {
    return this.link(told("KINPOST_TOKEN"));
  }

  /** Makes the tree. */
  async tree(): Promise<Tree> {
    const admin = this.admin();
    const { secret } = await admin.tokens.create("runtime");
    const host = this.link(secret);
    const approver = this.link((await admin.tokens.create("approver")).secret);
    const parent = await host.createSession("lead", { messageRules: { child: "allow" } });
    const child = await host.createSession("explore", {
      parentSessionId: parent.sessionId,
      starter: "wake",
      messageRules: { parent: "allow" },
    });
    return { host, admin, approver, parent, child, secret };
  }

  /** Attaches a runtime, for both of the tree's agents and with four slots unless said otherwise. */
  async runtime(client: Client, options: RuntimeOptions = {}, id: string = randomUUID()): Promise<Runtime> {
    const runtime = await soon(client.runtime(id, { agents: ["lead", "explore"], slots: 4, ...options }));
    this.#closing.push(() => runtime.close());
    return runtime;
  }

  /** Lays a wire to the server. */
  async wire(): Promise<Wire> {
    const wire = new Wire(told("KINPOST_ADDRESS"));
    await wire.open();
    this.#closing.push(() => wire.close());
    return wire;
  }

  async close(): Promise<void> {
    for (const close of this.#closing.reverse()) {
      await close();
    }
  }
}

/** Returns a session's events. */
export async function log({ host }: Tree, session: Session): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of host.listEvents({ sessionId: session.sessionId })) {
    events.push(event);
  }
  return events;
}

/** Returns the types of a session's events, in order; only these when some are named. */
export async function kinds(tree: Tree, session: Session, ...some: EventType[]): Promise<string[]> {
  const found = (await log(tree, session)).map((event) => event.type);
  return some.length ? found.filter((type) => (some as string[]).includes(type)) : found;
}

/** Returns the payloads of one type in a session's log. */
export async function payloads<Type extends EventType>(
  tree: Tree,
  session: Session,
  type: Type,
): Promise<PayloadOf<Type>[]> {
  const events = await log(tree, session);
  return events.filter((event) => event.type === type).map((event) => event.payload as PayloadOf<Type>);
}

/** Waits for the session's so-manieth event of a type. */
export async function until<Type extends EventType>(
  tree: Tree,
  session: Session,
  type: Type,
  count = 1,
): Promise<PayloadOf<Type>> {
  const events = tree.host.subscribe({ sessionId: session.sessionId, eventTypes: [type] });
  const find = async () => {
    let left = count;
    for await (const event of events) {
      left -= 1;
      if (left === 0) {
        return event.payload as PayloadOf<Type>;
      }
    }
    throw new Error("a subscription does not end");
  };
  return await soon(find());
}
