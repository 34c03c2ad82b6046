// Restarts, cut connections, lost answers: what the client makes of them.

import assert from "node:assert/strict";

import {
  type Accepted,
  CursorOutOfRange,
  type EventType,
  Forbidden,
  OtherLog,
  type Run,
  RunCancelled,
  SessionNotFound,
  Unauthenticated,
  Unreachable,
} from "@kinpost/client";

import { eventually, kinds, log, neverAnswered, offered, payloads, server, signalled, soon, test, told, until } from "./stage.js";

test("a run outlives a killed server", async (stage) => {
  const tree = await stage.tree();
  const runtime = await stage.runtime(tree.host);
  await tree.admin.sendUserMessage(tree.child.sessionId, "begin");
  const bodies: string[][] = [];
  let sent: Accepted | undefined;

  const run = await runtime.run(await offered(runtime), async (run) => {
    for await (const turn of run.turns()) {
      bodies.push(turn.mail.map((mail) => mail.body));
      if (turn.number === 1) {
        await tree.admin.sendUserMessage(tree.child.sessionId, "accepted before the kill");
        await server("kill");
        const sending = run.send(tree.parent.handle ?? "", "sent while it is down");
        await server("start");
        sent = await soon(sending);
        turn.more();
      }
    }
  });

  assert.equal(run.outcome, "completed");
  assert.deepEqual(bodies, [["begin"], ["accepted before the kill"]]);
  await runtime.run(await offered(runtime), async (woken) => {
    for await (const turn of woken.turns()) {
      assert.deepEqual(turn.mail.map((mail) => mail.messageId), [sent?.messageId]);
    }
  });
  const counted = await kinds(tree, tree.child, "producer_message_accepted", "producer_message_consumed", "run_started");
  const twice = ["producer_message_accepted", "producer_message_accepted"];
  assert.deepEqual(counted.sort(), [...twice, "producer_message_consumed", "producer_message_consumed", "run_started"]);
});

test("a subscription has neither hole nor repeat through a kill and a restart", async (stage) => {
  const tree = await stage.tree();
  const rootSessionId = tree.parent.sessionId;
  const seen: [number, string][] = [];
  const events = tree.admin.subscribe({ rootSessionId });
  const follow = async (count: number) => {
    let left = count;
    for await (const event of events) {
      seen.push([event.position, event.type]);
      left -= Number(event.type === "producer_message_accepted");
      if (left === 0) {
        return;
      }
    }
  };
  await tree.approver.setAvailability(tree.child.sessionId, "paused");
  await tree.admin.sendUserMessage(tree.child.sessionId, "1");
  await soon(follow(1));

  const following = follow(3);
  await tree.admin.sendUserMessage(tree.child.sessionId, "2");
  await server("kill");
  const sending = tree.admin.sendUserMessage(tree.child.sessionId, "3");
  await server("start");
  await soon(sending);
  await server("restart");
  await tree.admin.sendUserMessage(tree.child.sessionId, "4");
  await soon(following);

  const listed: [number, string][] = [];
  for await (const event of tree.admin.listEvents({ rootSessionId })) {
    listed.push([event.position, event.type]);
  }
  assert.deepEqual(seen, listed);
  // The cursor stands behind the last frame that was seen whole, so going on from it may repeat but skips nothing.
  const rest: string[] = [];
  await tree.admin.sendUserMessage(tree.child.sessionId, "5");
  for await (const event of tree.admin.subscribe({ rootSessionId, afterCursor: events.cursor })) {
    if (event.type === "producer_message_accepted") {
      rest.push(event.payload.body);
      if (event.payload.body === "5") {
        break;
      }
    }
  }
  assert.ok("1,2,3,4,5".endsWith(rest.join()), rest.join()); // how much a frame holds is the server's affair
});

test("a cut attachment is opened anew and keeps its runs", async (stage) => {
  const tree = await stage.tree();
  const wire = await stage.wire();
  const runtime = await stage.runtime(stage.link(tree.secret, {}, wire.address), { slots: 2 });
  await tree.admin.sendUserMessage(tree.child.sessionId, "begin");
  const prompts: string[] = [];

  const run = await runtime.run(await offered(runtime), async (run) => {
    for await (const turn of run.turns()) {
      prompts.push(turn.prompt);
      if (turn.number === 1) {
        wire.cut();
        await tree.admin.sendUserMessage(tree.child.sessionId, "more");
        await tree.admin.sendUserMessage(tree.parent.sessionId, "next");
        // The offer comes by the new attachment, while the run is held.
        const next = await offered(runtime);
        assert.deepEqual([next.sessionId, (await tree.host.getSession(tree.child.sessionId)).activeRunId], [
          tree.parent.sessionId,
          run.runId,
        ]);
        await runtime.run(next, async (another) => {
          for await (const other of another.turns()) {
            prompts.push(other.prompt);
          }
        });
        turn.more();
      }
    }
  });

  assert.deepEqual(prompts, ["begin", "next", "more"]);
  assert.deepEqual([run.outcome, run.number], ["completed", 1]);
  assert.ok(wire.opened >= 2);
});

test("a stop that was missed is told when the runtime attaches anew", async (stage) => {
  const tree = await stage.tree();
  const wire = await stage.wire();
  const runtime = await stage.runtime(stage.link(tree.secret, {}, wire.address));
  const asking = signalled<Run>();

  const running = runtime.start(tree.parent.sessionId, async (run) => {
    for await (const _ of run.turns()) {
      asking.done(run);
      await neverAnswered(run.signal);
    }
  });
  const run = await soon(asking.promise);
  wire.holdAnswers();
  await tree.approver.cancelRun(tree.parent.sessionId);
  wire.cut();
  wire.letAnswersPass();
  await assert.rejects(soon(running), RunCancelled);

  assert.equal(run.outcome, "cancelled");
});

test("twenty lost answers are one acceptance", async (stage) => {
  const tree = await stage.tree();
  const wire = await stage.wire();
  const far = stage.link(tree.secret, { retry: { firstSeconds: 0.001, maxSeconds: 0.001 } }, wire.address);
  const runtime = await stage.runtime(tree.host, { agents: ["lead"], slots: 1 });
  let accepted: unknown;
  await runtime.start(tree.parent.sessionId, async (run) => {
    for await (const turn of run.turns()) {
      wire.lose('"message_id"', 20);
      const call = [tree.parent.sessionId, run.runId, "send_message", { to: tree.child.handle, body: "once" }] as const;
      const result = await soon(far.callTool(...call, { toolCallId: `${turn.claimSeq}:call_1` }));
      accepted = result.structured["message_id"];
    }
  });

  const stored = await payloads(tree, tree.child, "producer_message_accepted");
  assert.deepEqual(stored.map((payload) => payload.messageId), [accepted]);
  assert.equal(wire.lost.length, 20);
  assert.ok(wire.lost.every((answer) => answer.includes(String(accepted))));
});

test("each step of a run is taken once though its answer is lost", async (stage) => {
  const tree = await stage.tree();
  const wire = await stage.wire();
  const runtime = await stage.runtime(stage.link(tree.secret, {}, wire.address), { agents: ["explore"] });

  /** Does it while answers are lost, until it is in the log; then lets its repetition through. */
  const losing = async <T>(type: EventType, count: number, work: () => Promise<T>): Promise<T> => {
    wire.holdAnswers();
    const working = work();
    await until(tree, tree.child, type, count);
    wire.cut();
    wire.letAnswersPass();
    return await soon(working);
  };

  await tree.admin.sendUserMessage(tree.child.sessionId, "begin");
  const offer = await offered(runtime);
  const begun = signalled();
  const running = losing("producer_messages_claimed", 1, async () => {
    return await runtime.run(offer, async (run) => {
      await begun.promise;
      const turns = run.turns();
      const next = async () => {
        const { value } = await turns.next();
        assert.ok(value);
        return value;
      };
      let turn = await next();
      assert.equal(turn.prompt, "begin");
      turn.more();
      turn = await losing("producer_messages_claimed", 2, next);
      await losing("turn_committed", 2, () => turn.commit());
      await tree.admin.sendUserMessage(tree.child.sessionId, "more");
      turn = await losing("producer_messages_claimed", 3, next);
      assert.equal(turn.prompt, "more");
      await losing("producer_messages_released", 1, () => turn.release());
      turn = await next();
      assert.deepEqual([turn.prompt, turn.mail[0]?.deliveryCount], ["more", 2]);
      assert.ok((await losing("run_finished", 1, () => turns.next())).done);
    });
  });
  await until(tree, tree.child, "producer_messages_claimed");
  begun.done();
  const run = await running;

  assert.equal(run.outcome, "completed");
  const types = ["producer_messages_claimed", "producer_messages_released", "turn_committed", "run_finished"] as const;
  assert.deepEqual(await kinds(tree, tree.child, ...types), [
    ...["producer_messages_claimed", "turn_committed", "producer_messages_claimed", "turn_committed"],
    ...["producer_messages_claimed", "producer_messages_released"],
    ...["producer_messages_claimed", "turn_committed", "run_finished"],
  ]);
});

test("a token whose secret was lost is replaced", async (stage) => {
  const { admin, parent } = await stage.tree();
  const wire = await stage.wire();
  const far = stage.link(told("KINPOST_TOKEN"), {}, wire.address);
  const ids = async () => {
    const found: string[] = [];
    for await (const token of admin.tokens.list()) {
      found.push(`${token.tokenId} ${token.revokeTime === undefined}`);
    }
    return found;
  };
  const before = await ids();

  wire.holdAnswers();
  const making = far.tokens.create("observer");
  await eventually(async () => (await ids()).length > before.length);
  wire.cut();
  wire.letAnswersPass();
  const made = await soon(making);

  const [lost, kept] = (await ids()).slice(before.length);
  assert.match(lost ?? "", / false$/);
  assert.equal(kept, `${made.tokenId} true`);
  assert.ok(await stage.link(made.secret).getSession(parent.sessionId));
});

test("a server that is not there is said so, and one that comes later is waited for", async (stage) => {
  const nobody = stage.link("secret", { retry: { giveUpSeconds: 0 } }, "127.0.0.1:9");
  await assert.rejects(nobody.serverInfo(), Unreachable);

  await server("kill");
  const asking = stage.link(undefined).serverInfo();
  await server("start");

  assert.equal((await soon(asking)).protocolVersion, 20);
});

test("a quiet connection that leads nowhere is given up, and a closed one leaves no ping behind", async (stage) => {
  const tree = await stage.tree();
  const wire = await stage.wire();
  const keepalive = { keepaliveSeconds: 0.3, keepaliveTimeoutSeconds: 0.3 };
  const { sessionId } = tree.child;
  // Closed amidst a stream; a ping of it would come, and end the program, while the other connection is tried.
  const closed = stage.link(tree.secret, keepalive);
  assert.ok(!(await soon(closed.subscribe({ sessionId })[Symbol.asyncIterator]().next())).done);
  closed.close();

  const far = stage.link(tree.secret, keepalive, wire.address);
  const events = far.subscribe({ sessionId, fromNow: true, eventTypes: ["producer_message_accepted"] });
  const next = events[Symbol.asyncIterator]().next();
  await eventually(async () => Boolean(await far.getSession(sessionId)) && events.caughtUp);
  const { opened } = wire;
  wire.holdAnswers(); // what the server says from now on gets lost, and no end of the connection comes
  await tree.admin.sendUserMessage(sessionId, "unheard");
  await eventually(async () => Boolean(await tree.host.getSession(sessionId)) && wire.opened > opened);
  wire.letAnswersPass();

  const { value } = await soon(next);
  assert.equal(value?.type === "producer_message_accepted" && value.payload.body, "unheard");
  events.close();
});

test("what repeating does not help is thrown by a subscription", async (stage) => {
  const { admin, host, child, parent } = await stage.tree();
  const sessionId = child.sessionId;
  const first = async (events: AsyncIterable<unknown>) => await soon(events[Symbol.asyncIterator]().next());

  await assert.rejects(first(host.subscribe({ sessionId, afterCursor: told("KINPOST_CURSOR_BEYOND") })), CursorOutOfRange);
  await assert.rejects(first(host.subscribe({ sessionId, afterCursor: told("KINPOST_CURSOR_ELSEWHERE") })), OtherLog);
  await assert.rejects(first(host.subscribe({ rootSessionId: parent.sessionId })), Forbidden);
  await assert.rejects(first(stage.link("nonsense").subscribe({ sessionId })), Unauthenticated);
  const stranger = stage.link((await admin.tokens.create("runtime")).secret);
  await assert.rejects(first(stranger.subscribe({ sessionId })), SessionNotFound);
  assert.equal((await log({ host } as Parameters<typeof log>[0], child)).length, 1);
});
