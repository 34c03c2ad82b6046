// What a refused call becomes, on a server that refuses as it is asked to: KINPOST_TABLE is a real server's table.

import assert from "node:assert/strict";

import { DeadlineExceeded, InvalidRequest, KinpostError, Overloaded, REFUSALS, RunEnded, Unreachable } from "@kinpost/client";

import { soon, type Stage, test, told } from "./stage.js";

const TABLE: Record<string, { repeatable: boolean; text: string; reason: string }> = JSON.parse(told("KINPOST_TABLE"));
const PASSING = ["server:overloaded", "server:shutting_down", "send_message:engine_shutdown", "storage:unavailable"];

/** Returns what a call is refused with. */
async function refusal(stage: Stage, name: string): Promise<KinpostError> {
  const client = stage.link("secret", { retry: { giveUpSeconds: 0 } });
  const error: unknown = await client.getSession(name).catch((error: unknown) => error);
  assert.ok(error instanceof KinpostError, String(error));
  return error;
}

test("there is one class for each code of the server's table", async () => {
  const own = [...REFUSALS.keys()].filter((code) => !code.startsWith("client:"));
  assert.deepEqual(own.sort(), [...Object.keys(TABLE), "server:internal"].sort());
  assert.equal(new Set(REFUSALS.values()).size, REFUSALS.size);
});

test("each refusal arrives as its class, with its text, and says whether repeating may help", async (stage) => {
  for (const [code, { repeatable, text, reason }] of Object.entries(TABLE)) {
    const error = await refusal(stage, `refuse:${code}`);
    assert.equal(error.constructor, REFUSALS.get(code));
    assert.equal(error.name, REFUSALS.get(code)?.name);
    assert.deepEqual([error.code, error.reason, error.message, error.retryable], [code, reason, text, repeatable]);
    assert.deepEqual(error.metadata["code"], code);
    assert.equal(error.transient, PASSING.includes(code), code);
    assert.equal(error instanceof RunEnded, /^run:(not_active|lease_lost|cancelled)$/.test(code), code);
  }
});

test("a field at fault is named, and the server's advice when to repeat arrives", async (stage) => {
  const invalid = await refusal(stage, "refuse:request:invalid");
  assert.ok(invalid instanceof InvalidRequest);
  assert.equal(invalid.field, "session_id");

  const overloaded = await refusal(stage, "later:2.5");
  assert.ok(overloaded instanceof Overloaded);
  assert.equal(overloaded.retryAfterSeconds, 2.5);
  assert.equal((await refusal(stage, "refuse:server:overloaded")).retryAfterSeconds, undefined);
  assert.match((await refusal(stage, "refuse:server:internal")).message, /in its log as e1/);
});

test("a code of a newer server arrives as the base class", async (stage) => {
  for (const [grpcCode, transient] of [
    ["UNAVAILABLE", true],
    ["ABORTED", false],
  ] as const) {
    const error = await refusal(stage, `newer:${grpcCode}`);
    assert.equal(error.constructor, KinpostError);
    assert.deepEqual([error.code, error.message], ["moon:full", "moon:full: wait a night"]);
    assert.deepEqual([error.transient, error.retryable], [transient, transient]);
  }
});

test("a failure that is no Kinpost server's has a code of the client", async (stage) => {
  for (const [grpcCode, kind, code] of [
    ["UNAVAILABLE", Unreachable, "client:unreachable"],
    ["CANCELLED", Unreachable, "client:unreachable"],
    ["DEADLINE_EXCEEDED", DeadlineExceeded, "client:deadline_exceeded"],
    ["UNIMPLEMENTED", KinpostError, "grpc:unimplemented"],
    ["INTERNAL", KinpostError, "grpc:internal"],
    ["ABORTED", KinpostError, "grpc:aborted"],
  ] as const) {
    const error = await refusal(stage, `bare:${grpcCode}`);
    assert.deepEqual([error.constructor, error.code], [kind, code]);
  }
});

test("what a newer server adds is surfaced as unknown, and nothing breaks", async (stage) => {
  const client = stage.link("secret");
  assert.equal((await client.getSession("newer:session")).state, "unknown");

  const events = client.subscribe({ sessionId: "s" })[Symbol.asyncIterator]();
  const { value: newer } = await soon(events.next());
  const { value: known } = await soon(events.next());

  assert.deepEqual([newer?.type, newer?.payload, newer?.seq, newer?.origin], ["unknown", undefined, 7, "unknown"]);
  assert.equal(known?.type === "run_finished" && known.payload.reason, "done");
  await assert.rejects(soon(events.next()), (error) => error instanceof KinpostError && error.code === "grpc:not_found");
});
