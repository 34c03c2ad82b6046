// The client's words and requests stand beside the contract's; nothing is sent.

import assert from "node:assert/strict";

import { connect, InvalidPayload, KinpostError, InboxFull, Unreachable } from "@kinpost/client";

import { test } from "./stage.js";

test("a target is host:port, and what contradicts itself is refused before anything is sent", async () => {
  for (const target of ["localhost", "127.0.0.1", "http://localhost:7419", "localhost:7419/path", "a b:1", ""]) {
    assert.throws(() => connect(target), TypeError, target);
  }
  for (const target of ["ipv4:", "ipv4:127.0.0.1:1,", "ipv4:localhost:1", "ipv6:127.0.0.1:1", "127.0.0.1:1,127.0.0.2:1"]) {
    assert.throws(() => connect(target), TypeError, target);
  }
  for (const target of ["localhost:7419", "[::1]:7419", "127.0.0.1:80", "kinpost.example:443"]) {
    connect(target).close();
  }
  for (const target of ["ipv4:127.0.0.1:7419", "ipv4:127.0.0.1:7419,10.0.0.1:7419", "ipv6:[::1]:7419,[::1]:7420"]) {
    connect(target).close();
  }
  assert.throws(() => connect("localhost:1", { tls: false, rootCertificates: "PEM" }), /tls is false/);
});

test("which events are asked for must not contradict itself", async () => {
  const client = connect("localhost:7419");
  assert.throws(() => client.subscribe({ sessionId: "s", rootSessionId: "r" }), /exclude each other/);
  assert.throws(() => client.subscribe({ afterCursor: "c", afterSeq: 1, sessionId: "s" }), /exclude each other/);
  assert.throws(() => client.subscribe({ afterSeq: 1 }), /within one session/);
  assert.throws(() => client.subscribe({ afterCursor: "c", fromNow: true }), /fromNow excludes/);
  const unknown = ["run_begun"] as unknown as ["run_started"];
  assert.throws(() => client.subscribe({ eventTypes: unknown }), /"run_begun" is none of session_created, /);
  client.close();
});

test("words that are none of the contract's are refused before anything is sent", async () => {
  const client = connect("localhost:7419");
  const maybe = "maybe" as unknown as "allow";
  await assert.rejects(client.createSession("a", { messageRules: { child: maybe } }), /"maybe" is none of allow, ask, deny/);
  await assert.rejects(client.createSession("a", { messageRules: {}, agentDocument: "" }), /exclude each other/);
  await assert.rejects(client.sendUserMessage("s", "b", { mode: "unknown" as "steer" }), /is none of steer, queue/);
  await assert.rejects(client.setAvailability("s", "paused", { untilTime: new Date("never") }), /valid date/);
  client.close();
});

test("an error without a text says what its class means", async () => {
  assert.equal(new Unreachable().message, "client:unreachable: no server answers, or the connection broke before the answer");
  assert.equal(new InboxFull().message, "send_message:inbox_full");
  assert.equal(new KinpostError("moon:full: wait", { code: "moon:full" }).message, "moon:full: wait");
});

test("a text that has no UTF-8 form is refused before anything is sent", async () => {
  const client = connect("localhost:7419");
  for (const text of ["a\ud800", "\udc00\ud800", "\ud83d", "x\udfffy"]) {
    for (const [field, body, wishes] of [
      ["text", text, {}],
      ["tldr", "x", { tldr: text }],
      ["client_request_id", "x", { clientRequestId: text }],
    ] as const) {
      await assert.rejects(
        client.peers.send("s", "t", body, wishes),
        (error) => error instanceof InvalidPayload && error.field === field && error.message.includes("lone surrogate"),
      );
    }
  }
  client.close();
});
