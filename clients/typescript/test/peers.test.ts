// Peer mail: any session to any session, read back, refused by class, and delivered after all.

import assert from "node:assert/strict";

import {
  type DeadLetter,
  InvalidPayload,
  InvalidRequest,
  MessageNotFound,
  NeedsConfirmation,
  NotYourMessages,
  type PeerDelivery,
  RateLimited,
  TargetNotFound,
  TldrRequired,
  UserClosed,
} from "@kinpost/client";

import { type Stage, test } from "./stage.js";

const SOME_ID = "0a1b2c3d-0000-4000-8000-00000000000a";
const DELIVERED = { delivered: true, queued: false, wokenFrom: undefined, idempotent: false };

/** Makes two sessions of different trees, and a client that writes for the first. */
async function scene(stage: Stage) {
  const { host, admin } = await stage.tree();
  const [source, target] = [(await host.createSession("a")).sessionId, (await host.createSession("b")).sessionId];
  const { secret } = await admin.tokens.create("peer", { sessionIds: [source] });
  const { peers } = stage.link(secret);
  return { host, admin, source, target, peers };
}

function without(delivery: PeerDelivery) {
  const { messageId, ...rest } = delivery;
  assert.match(messageId, /^[0-9a-f-]{36}$/);
  return rest;
}

test("a message goes out once, is taken with its sender's name, and is read back", async (stage) => {
  const { host, source, target, peers } = await scene(stage);
  const text = "\ufeff🙂 ".repeat(400);
  const sent = await peers.send(source, target, text, { tldr: "many faces", clientRequestId: "one" });
  assert.deepEqual(without(sent), DELIVERED);
  assert.deepEqual(await peers.send(source, target, "other", { clientRequestId: "one" }), { ...sent, idempotent: true });

  const { messages, retainedScope, storeHoldsSince } = await peers.listSent(source, { limit: 5 });
  const [message] = messages;
  assert.ok(message);
  assert.deepEqual(
    [messages.length, message.text, message.tldr, message.targetSessionId, message.chars, message.tokens],
    [1, text, "many faces", target, 1200, 800],
  );
  assert.deepEqual(storeHoldsSince, message.sendTime);
  assert.match(retainedScope, /summary/);
  const measured = await peers.getBody(message.bodyId, { metaOnly: true });
  assert.deepEqual(measured, { text: undefined, chars: 1200, tokens: 800 });
  assert.deepEqual(await peers.getBody(message.bodyId), { ...measured, text });

  const runtime = await stage.runtime(host);
  await runtime.start(target, async (run) => {
    for await (const turn of run.turns()) {
      const mail = turn.mail.map(({ owner, sender, body }) => [owner, sender.sessionId, body]);
      assert.deepEqual(mail, [["peer", source, text]]);
      assert.match(turn.prompt, /many faces\n\n\[the sender's summary; .*GET \/peer-message\//);
    }
  });
});

test("each way of sending, and a result for each target", async (stage) => {
  const { source, target, peers } = await scene(stage);
  assert.deepEqual(without(await peers.followUp(source, target, "hello")), DELIVERED);
  assert.deepEqual(without(await peers.queue(source, target, "hello", { tldr: "t" })), DELIVERED);
  const [first, second] = await peers.broadcast(source, new Set([target, SOME_ID]), "hello");
  assert.ok(first?.delivery && second);
  assert.deepEqual([first.sessionId, without(first.delivery), first.error], [target, DELIVERED, ""]);
  assert.deepEqual([second.sessionId, second.delivery, second.error], [SOME_ID, undefined, "session_not_found"]);
});

test("each refusal is its class, and confirmation wakes", async (stage) => {
  const { host, source, target, peers } = await scene(stage);
  await assert.rejects(
    peers.send("", target, "hello"),
    (error) => error instanceof InvalidPayload && error.field === "source_session_id",
  );
  await assert.rejects(peers.send(source, target, "x".repeat(1001)), TldrRequired);
  await assert.rejects(peers.send(source, SOME_ID, "hello"), TargetNotFound);
  await host.setAvailability(target, "ended");
  for (const way of ["send", "followUp"] as const) {
    await assert.rejects(peers[way](source, target, "hello"), NeedsConfirmation);
  }
  const woken = await peers.send(source, target, "hello", { confirmInactiveTarget: true });
  assert.deepEqual([woken.queued, woken.wokenFrom], [false, "ended"]);
  await assert.rejects(peers.listSent(target), NotYourMessages);
  await assert.rejects(peers.getBody(SOME_ID), MessageNotFound);
});

test("a spent budget says when, and a message can wait for its slot", async (stage) => {
  const { source, target, peers } = await scene(stage);
  for (let sent = 0; sent < 4; sent++) {
    await peers.queue(source, target, "hello");
  }
  await assert.rejects(
    peers.send(source, target, "hello"),
    (error) => error instanceof RateLimited && error.retryAfterMs > 3_500_000 && error.retryAfterMs <= 3_600_000,
  );
  const parked = await peers.send(source, target, "hello", { queueIfLimited: true });
  assert.deepEqual(parked, { ...DELIVERED, delivered: false, queued: true, messageId: "" });
});

test("a busy target's turn is ended when the sender confirms", async (stage) => {
  const { host, source, target, peers } = await scene(stage);
  const runtime = await stage.runtime(host);
  await runtime
    .start(target, async (run) => {
      assert.equal((await peers.send(source, target, "later")).queued, true);
      const landed = await peers.send(source, target, "now", { confirmInterruptTurn: true });
      assert.deepEqual(without(landed), DELIVERED);
      run.signal.throwIfAborted();
      await new Promise((resolve) => run.signal.addEventListener("abort", resolve, { once: true }));
    })
    .catch(() => {});
});

test("a dead letter is delivered after all", async (stage) => {
  const { admin, source, target, peers } = await scene(stage);
  await admin.setAvailability(target, "user_closed");
  await assert.rejects(peers.send(source, target, "precious", { tldr: "dear" }), UserClosed);
  const letters: DeadLetter[] = [];
  for await (const one of peers.listDeadLetters()) {
    letters.push(one);
  }
  const [letter] = letters;
  assert.ok(letter);
  assert.deepEqual(
    [letters.length, letter.text, letter.tldr, letter.reason, letter.sourceSessionId, letter.targetSessionId],
    [1, "precious", "dear", "user_closed", source, target],
  );
  assert.equal(letter.redeliverTime, undefined);
  const opened = await admin.peers.send(source, target, "open", { allowReopenUserClosed: true });
  assert.deepEqual(without(opened), DELIVERED);
  const delivered = await peers.redeliver(letter.deadLetterId);
  assert.deepEqual(without(delivered), DELIVERED);
  assert.deepEqual(await peers.redeliver(letter.deadLetterId), { ...delivered, idempotent: true });
});

test("no text arrives as another than was sent", async (stage) => {
  const { host, target } = await scene(stage);
  const before = (await host.getSession(target)).lastSeq;
  await assert.rejects(
    host.sendUserMessage(target, "a\ud800"),
    (error) => error instanceof InvalidRequest && error.field === "body" && error.message.includes("lone surrogate"),
  );
  assert.equal((await host.getSession(target)).lastSeq, before);
  await host.sendUserMessage(target, "\ufeffa");
  const bodies: string[] = [];
  for await (const event of host.listEvents({ sessionId: target, afterSeq: before })) {
    if (event.type === "producer_message_accepted") {
      bodies.push(event.payload.body);
    }
  }
  assert.deepEqual(bodies, ["\ufeffa"]);
});
