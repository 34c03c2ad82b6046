// A plugin's producers: registered, renewed, sent by, and ended.

import assert from "node:assert/strict";

import { Forbidden, IdempotencyConflict, ProducerNotFound, type Registration } from "@kinpost/client";

import { test } from "./stage.js";

test("a plugin registers, sends in both modes, discards and unregisters", async (stage) => {
  const tree = await stage.tree();
  const { secret } = await tree.admin.tokens.create("plugin", { pluginName: "ci" });
  const { producers } = stage.link(secret);
  const sessionId = tree.child.sessionId;
  const registration = await producers.register(sessionId, "build", { description: "tells of builds" });
  assert.deepEqual(
    [registration.owner, registration.ownerName, registration.clientProducerId, registration.description],
    ["plugin", "ci", "build", "tells of builds"],
  );
  assert.ok(registration.leaseExpireTime > registration.createTime);
  const found: Registration[] = [];
  for await (const one of tree.host.producers.list(sessionId)) {
    found.push(one);
  }
  assert.deepEqual(found, [registration]);
  assert.deepEqual(await producers.renew([registration.producerId, sessionId]), [registration.producerId]);

  const first = await producers.send(registration, "all green", { mode: "queue", idempotencyKey: "7" });
  assert.deepEqual([first.mode, first.replayed], ["queue", false]);
  const again = await producers.send(registration, "all green", { mode: "queue", idempotencyKey: "7" });
  assert.deepEqual([again.messageId, again.replayed], [first.messageId, true]);
  await assert.rejects(producers.send(registration, "other", { idempotencyKey: "7" }), IdempotencyConflict);
  const second = await producers.send(registration, "never mind", { description: "build 8" });
  await producers.discard(sessionId, second.messageId);
  await producers.discard(sessionId, second.messageId);
  await producers.unregister(registration);
  await producers.unregister(registration);
  await assert.rejects(producers.send(registration, "too late"), ProducerNotFound);
  await assert.rejects(tree.host.producers.register(sessionId, "build"), Forbidden);

  const runtime = await stage.runtime(tree.host);
  const bodies: string[] = [];
  await runtime.start(sessionId, async (run) => {
    for await (const turn of run.turns()) {
      bodies.push(...turn.mail.map((mail) => `${mail.owner} ${mail.sender.name}: ${mail.body}`));
    }
  });
  assert.deepEqual(bodies, ["plugin ci: all green"]);
});
