// What becomes of a turn's mail: kept, given back, or in the next turn.

import assert from "node:assert/strict";

import { type Accepted, type Run, TurnLeftOpen } from "@kinpost/client";

import { kinds, offered, payloads, test } from "./stage.js";

const CLAIMS = [
  "producer_messages_claimed",
  "producer_messages_released",
  "turn_committed",
  "run_finished",
] as const;

/** Goes through a run's turns and returns the bodies of each; `step` says what it wants. */
async function bodiesOf(run: Run, step: (turn: NonNullable<Run["turn"]>) => unknown = () => {}): Promise<string[][]> {
  const bodies: string[][] = [];
  for await (const turn of run.turns()) {
    bodies.push(turn.mail.map((mail) => mail.body));
    await step(turn);
  }
  return bodies;
}

test("mail arrives as objects", async (stage) => {
  const tree = await stage.tree();
  const runtime = await stage.runtime(tree.host);
  let sent: Accepted | undefined;
  const sending = await runtime.start(tree.parent.sessionId, async (run) => {
    for await (const _ of run.turns()) {
      sent = await run.send(tree.child.handle ?? "", "look left", { toolCallId: "call_1" });
    }
  });

  await runtime.run(await offered(runtime), async (run) => {
    for await (const turn of run.turns()) {
      const [mail] = turn.mail;
      assert.ok(mail && turn.mail.length === 1);
      assert.deepEqual(sent, {
        messageId: mail.messageId,
        mode: "steer",
        recipientState: "queued",
        replayed: false,
      });
      assert.deepEqual([mail.owner, mail.mode, mail.body], ["agent", "steer", "look left"]);
      assert.deepEqual(
        [mail.sender.sessionId, mail.sender.handle, mail.sender.runId],
        [tree.parent.sessionId, tree.parent.handle, sending.runId],
      );
      assert.match(mail.sender.toolCallId ?? "", /^\d+:call_1$/);
      assert.ok(mail.text.startsWith(`<agent_message from="${tree.parent.handle}">\nlook left\n`));
      assert.equal(turn.prompt, mail.text);
      assert.deepEqual([mail.agentHop, mail.deliveryCount], [0, 1]);
      assert.ok(mail.ageSeconds >= 0 && mail.ageSeconds < 60);
      assert.ok(Math.abs(mail.acceptTime.getTime() - Date.now()) < 60_000);
    }
  });
});

test("going on keeps the turn, and the last turn ends the run", async (stage) => {
  const tree = await stage.tree();
  const runtime = await stage.runtime(tree.host);
  await tree.admin.sendUserMessage(tree.child.sessionId, "begin");

  const run = await runtime.run(await offered(runtime), async (run) => {
    const bodies = await bodiesOf(run, (turn) => turn.number < 3 && turn.more());
    assert.deepEqual(bodies, [["begin"], [], []]);
  });

  assert.equal(run.outcome, "completed");
  const turn = ["producer_messages_claimed", "turn_committed"];
  assert.deepEqual(await kinds(tree, tree.child, ...CLAIMS), [...turn, ...turn, ...turn, "run_finished"]);
});

test("a failed model request gives the mail back and fails the run, and the mail comes again", async (stage) => {
  const tree = await stage.tree();
  const runtime = await stage.runtime(tree.host);
  await tree.admin.sendUserMessage(tree.child.sessionId, "begin");
  let failed: Run | undefined;

  const failing = runtime.run(await offered(runtime), async (run) => {
    failed = run;
    for await (const _ of run.turns()) {
      throw new RangeError("the model is away");
    }
  });

  await assert.rejects(failing, new RangeError("the model is away"));
  assert.equal(failed?.outcome, "failed");
  const [ended] = await payloads(tree, tree.child, "run_finished");
  assert.deepEqual([ended?.reason, ended?.consumedCount], ["RangeError: the model is away", 0]);
  await runtime.run(await offered(runtime), async (run) => {
    for await (const turn of run.turns()) {
      assert.deepEqual(turn.mail.map((mail) => [mail.body, mail.deliveryCount]), [["begin", 2]]);
    }
  });
  assert.equal((await kinds(tree, tree.child, "producer_message_consumed")).length, 1);
});

test("a failure after the reply is kept consumes the mail", async (stage) => {
  const tree = await stage.tree();
  const runtime = await stage.runtime(tree.host);
  await tree.admin.sendUserMessage(tree.child.sessionId, "begin");

  const failing = runtime.run(await offered(runtime), async (run) => {
    for await (const turn of run.turns()) {
      turn.more();
      throw new Error("the tool broke");
    }
  });

  await assert.rejects(failing, /the tool broke/);
  const [ended] = await payloads(tree, tree.child, "run_finished");
  assert.equal(ended?.consumedCount, 1);
  assert.equal((await tree.host.getSession(tree.child.sessionId)).pendingCount, 0);
});

test("mail given back comes with the next turn of the same run", async (stage) => {
  const tree = await stage.tree();
  const runtime = await stage.runtime(tree.host);
  await tree.admin.sendUserMessage(tree.child.sessionId, "begin");
  const seen: unknown[] = [];

  await runtime.run(await offered(runtime), async (run) => {
    for await (const turn of run.turns()) {
      seen.push(...turn.mail.map((mail) => [turn.number, mail.body, mail.deliveryCount]));
      if (turn.number === 1) {
        await turn.release("the model is busy");
        await turn.release("once more");
      }
    }
  });

  assert.deepEqual(seen, [
    [1, "begin", 1],
    [2, "begin", 2],
  ]);
  assert.deepEqual(await kinds(tree, tree.child, ...CLAIMS), [
    ...["producer_messages_claimed", "producer_messages_released"],
    ...["producer_messages_claimed", "turn_committed", "run_finished"],
  ]);
});

test("steer mail is in the next turn and in none before", async (stage) => {
  const tree = await stage.tree();
  const runtime = await stage.runtime(tree.host);
  await tree.admin.sendUserMessage(tree.child.sessionId, "begin");

  await runtime.run(await offered(runtime), async (run) => {
    const bodies = await bodiesOf(run, async (turn) => {
      if (turn.number === 1) {
        const accepted = await tree.admin.sendUserMessage(tree.child.sessionId, "turn left");
        assert.equal(accepted.recipientState, "running");
      }
      if (turn.number < 3) {
        turn.more();
      }
    });
    assert.deepEqual(bodies, [["begin"], ["turn left"], []]);
  });
});

test("steer mail that comes during the last turn goes on with the run; queue mail starts the next", async (stage) => {
  const tree = await stage.tree();
  const runtime = await stage.runtime(tree.host);
  await tree.admin.sendUserMessage(tree.child.sessionId, "begin");

  await runtime.run(await offered(runtime), async (run) => {
    const bodies = await bodiesOf(run, async (turn) => {
      if (turn.number === 1) {
        await tree.admin.sendUserMessage(tree.child.sessionId, "one more thing");
        await tree.admin.sendUserMessage(tree.child.sessionId, "later", { mode: "queue" });
      }
    });
    assert.deepEqual(bodies, [["begin"], ["one more thing"]]);
  });

  const later = await runtime.run(await offered(runtime), async (run) => {
    assert.deepEqual(await bodiesOf(run), [["later"]]);
  });
  assert.equal(later.number, 2);
});

test("a committed turn is settled at once and once", async (stage) => {
  const tree = await stage.tree();
  const runtime = await stage.runtime(tree.host);
  await tree.admin.sendUserMessage(tree.child.sessionId, "begin");

  await runtime.run(await offered(runtime), async (run) => {
    await bodiesOf(run, async (turn) => {
      await turn.commit();
      await turn.commit();
      const settled = (await kinds(tree, tree.child)).slice(-2);
      assert.deepEqual(settled, ["turn_committed", "producer_message_consumed"]);
    });
  });

  const ends = await kinds(tree, tree.child, "turn_committed", "run_finished");
  assert.deepEqual(ends, ["turn_committed", "run_finished"]);
});

test("how the loop is left decides: with a kept turn, after giving back, without a turn, in the middle", async (stage) => {
  const tree = await stage.tree();
  const runtime = await stage.runtime(tree.host);
  await tree.admin.sendUserMessage(tree.child.sessionId, "begin");
  const pending = async () => (await tree.host.getSession(tree.child.sessionId)).pendingCount;

  const none = await runtime.run(await offered(runtime), async () => {});
  assert.deepEqual([none.outcome, await pending()], ["completed", 1]);

  const givenBack = await runtime.run(await offered(runtime), async (run) => {
    for await (const turn of run.turns()) {
      await turn.release();
      break;
    }
  });
  assert.deepEqual([givenBack.outcome, await pending()], ["completed", 1]);

  const middle = runtime.run(await offered(runtime), async (run) => {
    for await (const _ of run.turns()) {
      break;
    }
  });
  await assert.rejects(middle, (error) => error instanceof TurnLeftOpen && /call keep/.test(error.message));
  assert.equal(await pending(), 1);

  const kept = await runtime.run(await offered(runtime), async (run) => {
    for await (const turn of run.turns()) {
      turn.keep();
      break;
    }
  });
  assert.deepEqual([kept.outcome, await pending()], ["completed", 0]);
  const ended = await payloads(tree, tree.child, "run_finished");
  assert.deepEqual(ended.map((payload) => payload.consumedCount), [0, 0, 0, 1]);
});

test("a settled turn takes no more words", async (stage) => {
  const tree = await stage.tree();
  const runtime = await stage.runtime(tree.host);
  await tree.admin.sendUserMessage(tree.child.sessionId, "begin");
  const turns: NonNullable<Run["turn"]>[] = [];

  await runtime.run(await offered(runtime), async (run) => {
    await bodiesOf(run, async (turn) => {
      turns.push(turn);
      if (turn.number === 1) {
        turn.more();
        await assert.rejects(turn.release(), /is kept/);
      } else if (turn.number === 2) {
        assert.throws(() => turns[0]?.keep(), /has gone on/);
        await turn.release();
        assert.throws(() => turn.keep(), /was given back/);
        assert.throws(() => turn.more(), /was given back/);
      }
    });
    await assert.rejects(run.turns().next(), /asked for once/);
  });

  assert.equal(turns.length, 3);
});

test("a paused session tells its run and gets no more mail", async (stage) => {
  const tree = await stage.tree();
  const runtime = await stage.runtime(tree.host);
  await tree.admin.sendUserMessage(tree.child.sessionId, "begin");
  const seen: unknown[] = [];

  await runtime.run(await offered(runtime), async (run) => {
    for await (const turn of run.turns()) {
      seen.push([turn.stopReason, turn.mail.map((mail) => mail.body)]);
      if (turn.number === 1) {
        await tree.approver.setAvailability(tree.child.sessionId, "paused", { reason: "lunch" });
        await tree.admin.sendUserMessage(tree.child.sessionId, "held");
        turn.more();
      }
    }
  });

  assert.deepEqual(seen, [
    [undefined, ["begin"]],
    ["not_open", []],
  ]);
  await tree.approver.setAvailability(tree.child.sessionId, "open");
  await runtime.run(await offered(runtime), async (run) => assert.deepEqual(await bodiesOf(run), [["held"]]));
});
