// What a run's model does in its turns: tools, mail, children; and a run that is taken up after a crash.

import assert from "node:assert/strict";

import { type Mail, PermissionDenied, type Run, RunEnded, RunNotActive, SelfSend, UnknownReference } from "@kinpost/client";

import { payloads, signalled, soon, test } from "./stage.js";

/** Goes through a run's turns and returns their prompts. */
async function prompts(run: Run): Promise<string[]> {
  const found: string[] = [];
  for await (const turn of run.turns()) {
    found.push(turn.prompt);
  }
  return found;
}

test("a delegator that starts its child itself waits within its call, and is told nothing beside", async (stage) => {
  const tree = await stage.tree();
  const runtime = await stage.runtime(tree.host);
  let turns = 0;
  await runtime.start(tree.parent.sessionId, async (run) => {
    for await (const _ of run.turns()) {
      turns += 1;
      const child = await run.delegate("explore", { firstMessage: "look around", description: "Explores." });
      assert.deepEqual([child.state, child.parentRunId, child.parentToolCallId], ["queued", run.runId, undefined]);
      await runtime.start(child.sessionId, async (childRun) => {
        for await (const childTurn of childRun.turns()) {
          const [mail] = childTurn.mail;
          assert.deepEqual([mail?.owner, mail?.body], ["delegation", "look around"]);
        }
      });
    }
  });
  assert.equal(turns, 1);
});

test("a delegation in the background is known by its call, and its end comes as mail", async (stage) => {
  const tree = await stage.tree();
  const runtime = await stage.runtime(tree.host);
  const reports: Mail[] = [];
  let childId = "";
  await runtime.start(tree.parent.sessionId, async (run) => {
    for await (const turn of run.turns()) {
      reports.push(...turn.mail);
      if (turn.number === 1) {
        const child = await run.delegate("explore", { firstMessage: "look around", toolCallId: "call_7" });
        assert.equal(child.parentToolCallId, `${turn.claimSeq}:call_7`);
        childId = child.sessionId;
        await runtime.start(childId, async (childRun) => {
          await prompts(childRun);
        });
      }
    }
  });
  assert.deepEqual(
    reports.map((mail) => [mail.owner, mail.sender.sessionId]),
    [["delegation", childId]],
  );
});

test("a model's tool call is known by its turn, and many go at once", async (stage) => {
  const tree = await stage.tree();
  const runtime = await stage.runtime(tree.host);
  const ids: unknown[] = [];
  await runtime.start(tree.parent.sessionId, async (run) => {
    assert.deepEqual((await run.listTools()).map((tool) => tool.name), ["send_message"]);
    for await (const turn of run.turns()) {
      const call = { to: tree.child.handle, body: `turn ${turn.number}` };
      for (const given of [call, JSON.stringify(call)]) {
        const result = await run.callTool("send_message", given, { toolCallId: "call_1" });
        assert.ok(!result.isError, result.text);
        ids.push(result.structured["message_id"]);
      }
      if (turn.number === 1) {
        const long = await run.callTool("send_message", call, { toolCallId: "x".repeat(300) });
        assert.ok(!long.isError, long.text);
        await Promise.all(Array.from({ length: 20 }, () => run.listTools()));
        turn.more();
      }
    }
  });

  assert.equal(ids[0], ids[1]);
  assert.equal(ids[2], ids[3]);
  assert.notEqual(ids[0], ids[2]);
  const accepted = await payloads(tree, tree.child, "producer_message_accepted");
  assert.ok(accepted.every((payload) => Buffer.byteLength(payload.sender?.toolCallId ?? "") <= 256));
});

test("what a tool refuses is a result, and what a send refuses is thrown", async (stage) => {
  const tree = await stage.tree();
  const runtime = await stage.runtime(tree.host);
  await runtime.start(tree.child.sessionId, async (run) => {
    for await (const _ of run.turns()) {
      const nobody = { to: "explore_00000000", body: "hello" };
      const refused = await run.callTool("send_message", nobody, { toolCallId: "call_1" });
      assert.deepEqual([refused.isError, refused.code], [true, "send_message:unknown_reference"]);
      assert.match(refused.text, /^unknown subagent reference/);
      await assert.rejects(run.send(nobody.to, nobody.body), (error) => {
        return error instanceof UnknownReference && error.message === refused.text;
      });
      await assert.rejects(run.send(tree.child.sessionId, "hello"), SelfSend);
      const child = await run.delegate("explore");
      await assert.rejects(run.send(child.sessionId, "hello"), PermissionDenied);
    }
  });
});

test("an ended run takes no calls", async (stage) => {
  const tree = await stage.tree();
  const runtime = await stage.runtime(tree.host);
  const run = await runtime.start(tree.parent.sessionId, async (run) => {
    await prompts(run);
    await assert.rejects(run.send(tree.child.sessionId, "too late"), RunNotActive);
  });

  await assert.rejects(run.send(tree.child.sessionId, "too late"), RunEnded);
  assert.equal(run.outcome, "completed");
});

test("a run is taken up by its own id after a crash", async (stage) => {
  const tree = await stage.tree();
  const doomed = stage.link(tree.secret);
  const runtime = await stage.runtime(doomed);
  await tree.admin.sendUserMessage(tree.parent.sessionId, "begin");
  const crash = signalled<Run>();
  const crashing = runtime.start(
    tree.parent.sessionId,
    async (run) => {
      for await (const turn of run.turns()) {
        if (turn.number === 1) {
          await run.send(tree.child.sessionId, "first", { toolCallId: "call_1" });
          await tree.admin.sendUserMessage(tree.parent.sessionId, "more");
          turn.more();
        } else {
          doomed.close(); // the program dies here: nothing more is said of the run
          crash.done(run);
        }
      }
    },
    { clientRunId: "job-7" },
  );
  await assert.rejects(soon(crashing), /the client is closed/);
  const crashed = await crash.promise;

  const newer = await stage.runtime(stage.link(tree.secret), {}, runtime.runtimeId);
  const seen: unknown[] = [];
  const run = await newer.start(
    tree.parent.sessionId,
    async (run) => {
      assert.equal(run.runId, crashed.runId);
      for await (const turn of run.turns()) {
        seen.push(...turn.mail.map((mail) => [mail.body, mail.deliveryCount]));
        // The model uses its id again: it is another turn, so it is another message.
        assert.ok(!(await run.send(tree.child.sessionId, "second", { toolCallId: "call_1" })).replayed);
      }
    },
    { clientRunId: "job-7" },
  );
  const ended = await newer.start(
    tree.parent.sessionId,
    async (run) => assert.deepEqual(await prompts(run), []),
    { clientRunId: "job-7" },
  );

  assert.deepEqual(seen, [["more", 2]]);
  assert.deepEqual([ended.runId, ended.outcome, run.outcome], [crashed.runId, "completed", "completed"]);
});
