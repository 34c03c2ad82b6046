// Runtimes: offers, slots, stops, and what becomes of their runs.

import assert from "node:assert/strict";

import {
  Forbidden,
  type Run,
  RunAlreadyActive,
  RunCancelled,
  RunInterrupted,
  RuntimeReplaced,
  SessionNotFound,
  WakeSettled,
} from "@kinpost/client";

import { kinds, neverAnswered, offered, signalled, soon, test, until } from "./stage.js";

/** Goes through a run's turns and returns their prompts. */
async function prompts(run: Run): Promise<string[]> {
  const found: string[] = [];
  for await (const turn of run.turns()) {
    found.push(turn.prompt);
  }
  return found;
}

test("a person stops a run: its signal fires, and RunCancelled comes out", async (stage) => {
  const tree = await stage.tree();
  const runtime = await stage.runtime(tree.host);
  await tree.admin.sendUserMessage(tree.child.sessionId, "begin");
  const asking = signalled();
  let stopped: Run | undefined;
  let reason: unknown;

  const running = runtime.run(await offered(runtime), async (run) => {
    stopped = run;
    for await (const _ of run.turns()) {
      asking.done();
      await neverAnswered(run.signal).catch((error: unknown) => {
        reason = error;
        throw new Error("the model's call was broken off");
      });
    }
  });
  await soon(asking.promise);
  const session = await tree.approver.cancelRun(tree.child.sessionId, { reason: "enough" });
  await assert.rejects(soon(running), RunCancelled);

  assert.ok(reason instanceof RunCancelled);
  assert.deepEqual([stopped?.outcome, session.availability, session.pendingCount], ["cancelled", "paused", 1]);
  await tree.approver.setAvailability(tree.child.sessionId, "open");
  await runtime.run(await offered(runtime), async (run) => {
    for await (const turn of run.turns()) {
      assert.equal(turn.mail[0]?.deliveryCount, 2);
    }
  });
});

test("a body that does not heed its signal is stopped at its next step", async (stage) => {
  const tree = await stage.tree();
  const runtime = await stage.runtime(tree.host);
  const turns: number[] = [];

  const running = runtime.start(tree.parent.sessionId, async (run) => {
    const stopped = new Promise((resolve) => run.signal.addEventListener("abort", resolve));
    for await (const turn of run.turns()) {
      turns.push(turn.number);
      await tree.approver.cancelRun(tree.parent.sessionId);
      await soon(stopped);
      turn.more();
    }
  });

  await assert.rejects(running, RunCancelled);
  assert.deepEqual(turns, [1]);
});

test("a body that returns although it was stopped does not end well", async (stage) => {
  const tree = await stage.tree();
  const runtime = await stage.runtime(tree.host);

  const running = runtime.start(tree.parent.sessionId, async (run) => {
    const stopped = new Promise((resolve) => run.signal.addEventListener("abort", resolve));
    await tree.host.cancelRun(tree.parent.sessionId, { runId: run.runId });
    await soon(stopped);
  });

  await assert.rejects(running, RunCancelled);
  assert.equal((await tree.host.getSession(tree.parent.sessionId)).availability, "open");
});

test("a caller's signal interrupts a run, and the mail comes again", async (stage) => {
  const tree = await stage.tree();
  const runtime = await stage.runtime(tree.host);
  await tree.admin.sendUserMessage(tree.child.sessionId, "begin");
  const asking = signalled();
  const aborter = new AbortController();
  let broken: Run | undefined;

  const running = runtime.run(
    await offered(runtime),
    async (run) => {
      broken = run;
      for await (const _ of run.turns()) {
        asking.done();
        await neverAnswered(run.signal);
      }
    },
    { signal: aborter.signal },
  );
  await soon(asking.promise);
  aborter.abort(new Error("enough of it"));
  await assert.rejects(soon(running), /enough of it/);

  assert.equal(broken?.outcome, "interrupted");
  assert.equal((await tree.host.getSession(tree.child.sessionId)).state, "interrupted");
  await runtime.run(await offered(runtime), async (run) => assert.deepEqual(await prompts(run), ["begin"]));
  await assert.rejects(runtime.start(tree.parent.sessionId, async () => {}, { signal: aborter.signal }), /enough/);
});

test("closing a runtime breaks off its runs, and gives its sessions to others", async (stage) => {
  const tree = await stage.tree();
  const runtime = await stage.runtime(tree.host);
  const asking = signalled();
  const running = runtime.start(tree.parent.sessionId, async (run) => {
    for await (const _ of run.turns()) {
      asking.done();
      await neverAnswered(run.signal);
    }
  });
  const outcome = assert.rejects(running, RunInterrupted);
  await soon(asking.promise);

  await soon(runtime.close());

  await outcome;
  assert.equal((await tree.host.getSession(tree.parent.sessionId)).state, "interrupted");
  assert.deepEqual(await runtime.offers().next(), { done: true, value: undefined });
  const other = await stage.runtime(tree.host);
  await tree.admin.sendUserMessage(tree.child.sessionId, "begin");
  await other.run(await offered(other), async (run) => assert.deepEqual(await prompts(run), ["begin"]));
});

test("a start that is broken off on its way leaves no run", async (stage) => {
  const tree = await stage.tree();
  const runtime = await stage.runtime(tree.host);
  const aborter = new AbortController();

  const starting = runtime.start(tree.parent.sessionId, async () => assert.fail("it has begun"), {
    signal: aborter.signal,
  });
  aborter.abort(new Error("never mind"));
  await assert.rejects(soon(starting), /never mind/);

  const another = await runtime.start(tree.parent.sessionId, async () => {});
  assert.equal(another.number, 2);
  assert.deepEqual(await kinds(tree, tree.parent, "run_started"), ["run_started", "run_started"]);
});

test("serve runs as many at once as there are slots, and outlives a failure and a stop", async (stage) => {
  const tree = await stage.tree();
  const runtime = await stage.runtime(tree.host);
  const aborter = new AbortController();
  const done: unknown[] = [];
  const finished = signalled();
  let together = 0;
  const both = signalled();
  await tree.admin.sendUserMessage(tree.parent.sessionId, "fail");
  await tree.admin.sendUserMessage(tree.child.sessionId, "work");

  const serving = runtime.serve(
    async (run) => {
      for await (const turn of run.turns()) {
        if (turn.prompt === "hang") {
          await tree.approver.cancelRun(run.sessionId);
          await neverAnswered(run.signal);
        }
        if (turn.mail[0]?.deliveryCount === 1) {
          together += 1;
          if (together === 2) {
            both.done();
          }
          await soon(both.promise);
          if (turn.prompt === "fail") {
            throw new Error("as told");
          }
        }
        done.push([turn.prompt, run.number]);
        if (done.length === 2) {
          finished.done();
        }
      }
    },
    { signal: aborter.signal },
  );
  await soon(finished.promise);
  await until(tree, tree.parent, "run_finished", 2);
  await tree.admin.sendUserMessage(tree.parent.sessionId, "hang");
  await until(tree, tree.parent, "run_finished", 3);
  await tree.approver.setAvailability(tree.parent.sessionId, "paused");
  aborter.abort();
  await soon(serving);

  assert.deepEqual(new Set(done.map(String)), new Set(["work,1", "fail,2"]));
  assert.deepEqual(
    stage.logged.filter(([level]) => level !== "info").map(([level, text, error]) => [level, text, String(error)]),
    [["error", `the run of session ${tree.parent.sessionId} failed`, "Error: as told"]],
  );
});

test("an offer for an agent that is not run here is given back", async (stage) => {
  const tree = await stage.tree();
  await stage.runtime(tree.host, { agents: ["lead"] });
  await tree.admin.sendUserMessage(tree.child.sessionId, "begin");

  const failed = await until(tree, tree.child, "wake_failed");

  assert.equal(failed.reason, "declined: this runtime does not run explore");
});

test("an offer beyond the slots is given back, and comes when there is room", async (stage) => {
  const tree = await stage.tree();
  const runtime = await stage.runtime(tree.host, { slots: 2 });
  await runtime.start(tree.parent.sessionId, async (run) => {
    const child = await run.delegate("explore", { firstMessage: "go" });
    await runtime.start(child.sessionId, async (busy) => {
      await tree.admin.sendUserMessage(tree.child.sessionId, "begin");
      await until(tree, tree.child, "wake_requested");
      assert.match((await prompts(busy)).join(), /\ngo\n/);
    });
  });

  await runtime.run(await offered(runtime), async (run) => assert.deepEqual(await prompts(run), ["begin"]));
});

test("declining offers the session to another runtime", async (stage) => {
  const tree = await stage.tree();
  const one = await stage.runtime(tree.host);
  const other = await stage.runtime(tree.host);
  await tree.admin.sendUserMessage(tree.child.sessionId, "begin");
  const offers = [one, other].map(async (runtime) => ({ runtime, next: await runtime.offers().next() }));
  const { runtime: first, next } = await soon(Promise.race(offers));
  assert.ok(!next.done);

  await first.decline(next.value, { reason: "busy", retryAfterSeconds: 0.01 });

  const [, second] = await soon(Promise.all([...offers]));
  const taker = first === one ? second : (await offers[0])!;
  assert.ok(taker && !taker.next.done);
  assert.deepEqual([taker.next.value.wakeId, taker.next.value.offerNumber], [next.value.wakeId, 2]);
  await taker.runtime.run(taker.next.value, async (run) => assert.deepEqual(await prompts(run), ["begin"]));
});

test("an offer that was withdrawn is not handed out, and the loser of a race gets WakeSettled", async (stage) => {
  const tree = await stage.tree();
  const runtime = await stage.runtime(tree.host);
  await tree.admin.sendUserMessage(tree.child.sessionId, "begin");
  const offer = await offered(runtime);
  const body = async () => assert.fail("it has begun");

  await runtime.start(tree.child.sessionId, async (run) => {
    await assert.rejects(runtime.run(offer, body), WakeSettled);
    await assert.rejects(runtime.start(tree.child.sessionId, body), RunAlreadyActive);
    assert.deepEqual(await prompts(run), ["begin"]);
  });
  await tree.admin.sendUserMessage(tree.child.sessionId, "more");
  await until(tree, tree.child, "wake_offered", 2);
  // A delegator starts the session itself: the offer is settled by that run.
  await runtime.start(tree.child.sessionId, async (run) => assert.deepEqual(await prompts(run), ["more"]));
  await tree.admin.sendUserMessage(tree.parent.sessionId, "next");

  assert.equal((await offered(runtime)).sessionId, tree.parent.sessionId);
});

test("the same runtime attached anew ends the earlier attachment", async (stage) => {
  const tree = await stage.tree();
  const runtime = await stage.runtime(tree.host);
  const newer = await stage.runtime(stage.link(tree.secret), {}, runtime.runtimeId);

  await assert.rejects(offered(runtime), RuntimeReplaced);
  await assert.rejects(soon(runtime.serve(async () => {})), RuntimeReplaced);
  await tree.admin.sendUserMessage(tree.child.sessionId, "begin");
  await newer.run(await offered(newer), async (run) => assert.deepEqual(await prompts(run), ["begin"]));
});

test("a runtime's id is its token's, and a stranger sees nothing", async (stage) => {
  const tree = await stage.tree();
  const { runtimeId } = await stage.runtime(tree.host);
  const stranger = stage.link((await tree.admin.tokens.create("runtime")).secret);

  await assert.rejects(stranger.runtime(runtimeId), (error) => {
    return error instanceof Forbidden && /belongs to another token/.test(error.message);
  });
  const theirs = await stage.runtime(stranger);
  await assert.rejects(theirs.start(tree.parent.sessionId, async () => {}), SessionNotFound);
});
