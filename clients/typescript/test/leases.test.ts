// Leases, on a server whose leases are short: how they are kept, and what becomes of a run whose lease lapsed.

import assert from "node:assert/strict";

import { type Run, RunEnded, RunLeaseLost } from "@kinpost/client";

import { eventually, neverAnswered, offered, payloads, signalled, soon, test, told, until } from "./stage.js";

test("the lease is renewed during a long tool call", async (stage) => {
  const tree = await stage.tree();
  const silent = await tree.host.createSession("explore", {
    parentSessionId: tree.parent.sessionId,
    starter: "wake",
  });
  const runtime = await stage.runtime(tree.host);

  const run = await runtime.start(tree.parent.sessionId, async (run) => {
    for await (const turn of run.turns()) {
      turn.keep();
      // A run that nobody renews begins after ours and lapses, twice: so ours is older than two leases.
      for (const count of [1, 2]) {
        const forgetful = stage.link(tree.secret);
        const other = await stage.runtime(forgetful);
        const started = signalled();
        const forgotten = other.start(silent.sessionId, async () => {
          forgetful.close();
          started.done();
          await until(tree, silent, "run_finished", count);
        });
        await Promise.all([soon(started.promise), assert.rejects(forgotten, /the client is closed/)]);
      }
      assert.equal((await tree.host.getSession(tree.parent.sessionId)).activeRunId, run.runId);
    }
  });

  assert.equal(run.outcome, "completed");
  const lapsed = await payloads(tree, silent, "run_finished");
  assert.deepEqual(lapsed.map((payload) => payload.leaseLost), [true, true]);
});

test("a run whose lease lapsed is stopped, and its mail comes again", async (stage) => {
  const tree = await stage.tree();
  const wire = await stage.wire();
  const runtime = await stage.runtime(stage.link(tree.secret, {}, wire.address));
  await tree.admin.sendUserMessage(tree.child.sessionId, "begin");
  const asking = signalled();
  let lost: Run | undefined;

  const running = runtime.run(await offered(runtime), async (run) => {
    lost = run;
    for await (const _ of run.turns()) {
      asking.done();
      await neverAnswered(run.signal);
    }
  });
  await soon(asking.promise);
  // The server is out of reach for longer than the lease.
  const { target } = wire;
  wire.target = { host: "127.0.0.1", port: 9 };
  wire.cut();
  await until(tree, tree.child, "run_finished");
  wire.target = target;
  await assert.rejects(soon(running), RunLeaseLost);

  assert.equal(lost?.outcome, "interrupted");
  await runtime.run(await offered(runtime), async (run) => {
    for await (const turn of run.turns()) {
      assert.equal(turn.prompt, "begin");
    }
  });
});

test("a run whose runtime is silent is told of it by its next call", async (stage) => {
  const tree = await stage.tree();
  const wire = await stage.wire();
  const runtime = await stage.runtime(stage.link(tree.secret, {}, wire.address));

  const running = runtime.start(tree.parent.sessionId, async (run) => {
    for await (const turn of run.turns()) {
      wire.holdAnswers(); // requests pass, and a stop does not come through
      wire.cut();
      wire.target = { host: "127.0.0.1", port: 9 };
      await until(tree, tree.parent, "run_finished");
      const [host = "", port] = told("KINPOST_ADDRESS").split(":");
      wire.target = { host, port: Number(port) };
      wire.letAnswersPass();
      turn.more();
    }
  });

  await assert.rejects(soon(running), (error) => error instanceof RunEnded && error instanceof RunLeaseLost);
});

test("a runtime whose client is closed renews no more", async (stage) => {
  const { secret } = await stage.tree();
  const client = stage.link(secret);
  await stage.runtime(client);
  client.close();
  await eventually(async () => stage.logged.some(([, text]) => text === "leases are renewed no more"));
});
