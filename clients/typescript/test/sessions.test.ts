// What a client asks for outside of runs: sessions, people's mail, what was sent, tools, tokens, events.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";

import {
  type Event,
  Forbidden,
  IdempotencyConflict,
  InvalidRequest,
  MessageClaimed,
  MessageNotFound,
  SessionExists,
  SessionLogMoved,
  SessionNotFound,
  TokenNotFound,
  Unauthenticated,
} from "@kinpost/client";

import { eventually, kinds, offered, test, told } from "./stage.js";

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) {
    found.push(item);
  }
  return found;
}

test("what server it is, is told without a token", async (stage) => {
  const info = await stage.link(undefined).serverInfo();

  assert.deepEqual([info.protocolVersion, info.protocolVersionMin], [20, 19]);
  assert.ok(Math.abs(info.serverTime.getTime() - Date.now()) < 60_000);
  assert.ok(info.requestBytesMax > 256 * 1024);
});

test("a session is made once, however often it is asked for", async (stage) => {
  const { host } = await stage.tree();
  const sessionId = randomUUID();
  const wishes = {
    sessionId,
    description: "Explores.",
    messageRules: { child: "allow", "*": "ask" },
  } as const;

  const made = await host.createSession("explore", wishes);

  assert.deepEqual(await host.createSession("explore", wishes), made);
  assert.deepEqual(await host.getSession(sessionId), made);
  assert.match(made.handle ?? "", /^explore_[0-9a-f]{8}$/);
  assert.deepEqual(
    [made.sessionId, made.rootSessionId, made.parentSessionId, made.depth],
    [sessionId, sessionId, undefined, 0],
  );
  assert.deepEqual([made.state, made.availability, made.description], ["idle", "open", "Explores."]);
  assert.deepEqual(made.messageRules, { child: "allow", "*": "ask" });
  assert.ok(Math.abs(made.createTime.getTime() - Date.now()) < 60_000);
  await assert.rejects(host.createSession("other", wishes), SessionExists);
});

test("rules come from a document too, a handle may be left out, a session of elsewhere brings its state", async (stage) => {
  const { host } = await stage.tree();
  const agentDocument = "---\npermissions:\n  message:\n    parent: allow\n---\nYou explore.";
  const createTime = new Date("2020-01-02T03:04:05.678Z");

  const written = await host.createSession("explore", { agentDocument, withoutHandle: true });
  const imported = await host.createSession("old", { imported: { state: "failed", handle: "old_1a2b3c4d", createTime } });

  assert.deepEqual([written.messageRules, written.handle], [{ parent: "allow" }, undefined]);
  assert.deepEqual([imported.state, imported.handle, imported.createTime], ["failed", "old_1a2b3c4d", createTime]);
});

test("a tree is listed in the order of its making, to whom it may be", async (stage) => {
  const { admin, host, parent, child } = await stage.tree();

  const listed = await all(admin.listSessions(parent.sessionId));

  assert.deepEqual(listed.map((session) => session.sessionId), [parent.sessionId, child.sessionId]);
  const stranger = stage.link((await admin.tokens.create("runtime")).secret);
  await assert.rejects(stranger.getSession(parent.sessionId), SessionNotFound);
  await assert.rejects(all(stage.link(undefined).listSessions(parent.sessionId)), Unauthenticated);
  await assert.rejects(host.getSession("nobody"), (error) => {
    assert.ok(error instanceof InvalidRequest);
    assert.deepEqual([error.field, error.reason, error.retryable], ["session_id", "REQUEST_INVALID", false]);
    return error.message.startsWith("request:invalid: session_id");
  });
});

test("a paused session holds its mail until somebody opens it", async (stage) => {
  const { admin, approver, host, parent } = await stage.tree();
  const untilTime = new Date(Date.now() + 3600_000);

  const paused = await approver.setAvailability(parent.sessionId, "paused", { reason: "lunch", untilTime });
  const held = await admin.sendUserMessage(parent.sessionId, "later");

  assert.deepEqual([paused.availability, paused.availabilityReason, paused.untilTime], ["paused", "lunch", untilTime]);
  assert.equal(held.recipientState, "held");
  await assert.rejects(host.setAvailability(parent.sessionId, "open"), Forbidden);
  const opened = await approver.setAvailability(parent.sessionId, "open");
  assert.deepEqual([opened.availability, opened.pendingCount, opened.untilTime], ["open", 1, undefined]);
  const archived = await approver.setAvailability(parent.sessionId, "archived", { noWake: true });
  assert.deepEqual([archived.availability, archived.noWake], ["archived", true]);
});

test("a deleted session is gone, and its mail with it", async (stage) => {
  const tree = await stage.tree();
  await tree.admin.sendUserMessage(tree.child.sessionId, "never read");

  await tree.host.deleteSession(tree.child.sessionId, { reason: "tidied up" });
  await tree.host.deleteSession(tree.child.sessionId, { reason: "tidied up" });

  await assert.rejects(tree.admin.sendUserMessage(tree.child.sessionId, "too late"), SessionNotFound);
  const events = await all(tree.admin.listEvents({ rootSessionId: tree.parent.sessionId }));
  const gone = events.filter((event) => event.sessionId === tree.child.sessionId).map((event) => event.type);
  assert.deepEqual(gone.filter((type) => /discarded|deleted/.test(type)).sort(), [
    "producer_message_discarded",
    "session_deleted",
  ]);
});

test("a session goes back to a point, and goes on beside it", async (stage) => {
  const tree = await stage.tree();
  const childId = tree.child.sessionId;
  await tree.admin.sendUserMessage(childId, "the mail");
  const point = (await tree.host.getSession(childId)).lastSeq;
  await tree.admin.sendUserMessage(childId, "too late");
  const expectedLastSeq = (await tree.host.getSession(childId)).lastSeq;
  const newSessionId = randomUUID();

  const fork = await tree.host.forkSession(childId, expectedLastSeq, { newSessionId });
  const reverted = await tree.host.revertSession(childId, point, { expectedLastSeq, pause: true });

  assert.deepEqual([fork.sessionId, fork.pendingCount], [newSessionId, 2]);
  assert.deepEqual([reverted.availability, reverted.pendingCount], ["paused", 1]);
  assert.deepEqual(await tree.host.revertSession(childId, point, { expectedLastSeq, pause: true }), reverted);
  assert.deepEqual(await tree.host.forkSession(childId, expectedLastSeq, { newSessionId }), fork);
  await assert.rejects(tree.host.revertSession(childId, 1, { expectedLastSeq }), SessionLogMoved);
  await assert.rejects(tree.host.forkSession(childId, point, { newSessionId }), SessionExists);
});

test("the same call of a person's mail again gets the first answer, other content is refused", async (stage) => {
  const tree = await stage.tree();
  const call = { clientMessageId: "mail-1", mode: "queue" } as const;

  const first = await tree.admin.sendUserMessage(tree.child.sessionId, "héllo 🐟", call);
  const again = await tree.admin.sendUserMessage(tree.child.sessionId, "héllo 🐟", call);

  assert.deepEqual(again, { ...first, replayed: true });
  assert.equal(first.mode, "queue");
  await assert.rejects(tree.admin.sendUserMessage(tree.child.sessionId, "other", call), IdempotencyConflict);
  const others = await Promise.all([1, 2].map(() => tree.admin.sendUserMessage(tree.child.sessionId, "the same")));
  assert.equal(new Set(others.map((accepted) => accepted.messageId)).size, 2);
  assert.equal((await kinds(tree, tree.child, "producer_message_accepted")).length, 3);
});

test("a sender sees where its mail stands, and takes back what nobody has read", async (stage) => {
  const { host, parent, child } = await stage.tree();
  const runtime = await stage.runtime(host, { agents: ["lead"], slots: 1 });
  const sent: string[] = [];
  const run = await runtime.start(parent.sessionId, async (run) => {
    for await (const _ of run.turns()) {
      for (const body of ["first", "second"]) {
        sent.push((await run.send(child.sessionId, body)).messageId);
      }
    }
  });
  const [first = "", second = ""] = sent;

  const looked = await host.getSentMessage(parent.sessionId, first);
  assert.deepEqual(
    [looked.messageId, looked.recipientSessionId, looked.recipientHandle, looked.state, looked.runId],
    [first, child.sessionId, child.handle, "accepted", run.runId],
  );
  assert.deepEqual([looked.owner, looked.mode, looked.held, looked.discardReason], ["agent", "steer", false, undefined]);
  assert.ok(Math.abs(looked.acceptTime.getTime() - Date.now()) < 60_000);

  const retracted = await host.retractMessage(parent.sessionId, first);
  assert.deepEqual([retracted.state, retracted.discardReason], ["discarded", "retracted"]);
  assert.deepEqual(await host.retractMessage(parent.sessionId, first), retracted);

  const reader = await stage.runtime(host, { agents: ["explore"], slots: 1 });
  await reader.run(await offered(reader), async (reading) => {
    for await (const turn of reading.turns()) {
      assert.deepEqual(turn.mail.map((mail) => mail.body), ["second"]);
      await assert.rejects(host.retractMessage(parent.sessionId, second), MessageClaimed);
    }
  });
  const listed = await all(host.listSentMessages(parent.sessionId));
  assert.deepEqual(listed.map((message) => [message.messageId, message.state]), [
    [second, "consumed"],
    [first, "discarded"],
  ]);
  const consumed = await all(host.listSentMessages(parent.sessionId, { states: ["consumed"] }));
  assert.deepEqual(consumed.map((message) => message.messageId), [second]);
  await assert.rejects(host.getSentMessage(child.sessionId, first), MessageNotFound);
});

test("a model sees the tool that its rules allow", async (stage) => {
  const { host, parent } = await stage.tree();
  const mute = await host.createSession("mute", { messageRules: {} });

  const [tool] = await host.listTools(parent.sessionId);

  assert.ok(tool?.name === "send_message" && tool.description);
  assert.deepEqual(tool.parameters["required"], ["to", "body"]);
  assert.deepEqual(await host.listTools(mute.sessionId), []);
});

test("a tool is called for a run that another program holds", async (stage) => {
  const { host, parent, child } = await stage.tree();
  const runtime = await stage.runtime(host);
  await runtime.start(parent.sessionId, async (run) => {
    for await (const _ of run.turns()) {
      const call = [parent.sessionId, run.runId, "send_message", { to: child.handle, body: "hello" }] as const;
      const result = await host.callTool(...call, { toolCallId: "their-1" });
      assert.deepEqual([result.isError, result.code, result.structured["mode"]], [false, "", "steer"]);
      const again = await host.callTool(...call, { toolCallId: "their-1" });
      assert.equal(again.structured["message_id"], result.structured["message_id"]);
    }
  });
});

test("tokens are made, listed and revoked", async (stage) => {
  const { admin, host, parent, child } = await stage.tree();
  const expireTime = new Date(Date.now() + 3600_000);

  const made = await admin.tokens.create("session", { sessionIds: [child.sessionId], expireTime });

  const bound = stage.link(made.secret);
  assert.equal((await bound.getSession(child.sessionId)).sessionId, child.sessionId);
  await assert.rejects(bound.getSession(parent.sessionId), SessionNotFound);
  const listed = (await all(admin.tokens.list())).find((token) => token.tokenId === made.tokenId);
  assert.deepEqual(
    [listed?.kind, listed?.sessionIds, listed?.expireTime, listed?.revokeTime],
    ["session", [child.sessionId], expireTime, undefined],
  );
  const revoked = await admin.tokens.revoke(made.tokenId);
  assert.ok(revoked.revokeTime);
  await assert.rejects(bound.getSession(child.sessionId), Unauthenticated);
  await assert.rejects(admin.tokens.revoke(randomUUID()), TokenNotFound);
  await assert.rejects(host.tokens.create("admin"), Forbidden);
  const plugin = await admin.tokens.create("plugin", { pluginName: "watcher" });
  assert.equal((await all(admin.tokens.list())).find((token) => token.tokenId === plugin.tokenId)?.pluginName, "watcher");
});

test("events are listed and followed, all or some, from the beginning or from a point", async (stage) => {
  const { admin, host, child } = await stage.tree();
  for (let number = 1; number <= 3; number += 1) {
    await admin.sendUserMessage(child.sessionId, `mail ${number}`);
  }
  const sessionId = child.sessionId;

  const listed = await all(host.listEvents({ sessionId }));
  assert.deepEqual(listed.map((event) => event.seq), listed.map((_, index) => index + 1));
  const accepted = await all(host.listEvents({ sessionId, eventTypes: ["producer_message_accepted"] }));
  assert.deepEqual(
    accepted.map((event) => event.type === "producer_message_accepted" && event.payload.body),
    ["mail 1", "mail 2", "mail 3"],
  );
  assert.deepEqual(accepted[0]?.origin, "person");
  assert.deepEqual(await all(host.listEvents({ sessionId, afterSeq: listed.length - 1 })), listed.slice(-1));

  const followed: Event[] = [];
  const subscription = host.subscribe({ sessionId });
  for await (const event of subscription) {
    followed.push(event);
    if (followed.length === 2) {
      break; // another loop goes on where this one ended
    }
  }
  for await (const event of subscription) {
    followed.push(event);
    if (followed.length === listed.length) {
      break;
    }
  }
  assert.deepEqual(followed, listed);

  const live = host.subscribe({ sessionId, fromNow: true });
  const next = live[Symbol.asyncIterator]().next();
  const everybody = admin.subscribe({ afterCursor: subscription.cursor });
  await eventually(async () => Boolean(await host.getSession(sessionId)) && live.caughtUp);
  await admin.sendUserMessage(child.sessionId, "mail 4");
  for await (const event of everybody) {
    if (event.type === "producer_message_accepted" && event.payload.body === "mail 4") {
      break;
    }
  }
  const first = await next;
  assert.ok(!first.done && first.value.seq > listed.length);
  live.close();
});

test("what happens meanwhile ends with the client", async (stage) => {
  const tree = await stage.tree();
  const client = stage.link(tree.secret);
  const following = all(client.subscribe({ sessionId: tree.child.sessionId }));
  const listening = following.catch((error: unknown) => error);
  await client.getSession(tree.child.sessionId);

  client.close();

  assert.match(String(await listening), /the client is closed/);
  await assert.rejects(client.getSession(tree.child.sessionId), /the client is closed/);
  await using disposed = stage.link(told("KINPOST_TOKEN"));
  assert.ok(await disposed.serverInfo());
});
