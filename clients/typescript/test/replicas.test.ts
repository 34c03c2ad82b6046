// Two replicas on one database, at KINPOST_ADDRESS: what the client makes of the death of one.

import assert from "node:assert/strict";

import { Unreachable } from "@kinpost/client";

import { eventually, kinds, offered, server, soon, test, told } from "./stage.js";

test("a run goes on at the other replica, whichever is killed, and offers come from there", async (stage) => {
  const tree = await stage.tree();
  const runtime = await stage.runtime(tree.host);
  await tree.admin.sendUserMessage(tree.child.sessionId, "begin");
  const bodies: string[][] = [];
  let woken = 0;

  const run = await runtime.run(await offered(runtime), async (run) => {
    for await (const turn of run.turns()) {
      bodies.push(turn.mail.map((mail) => mail.body));
      const replica = turn.number - 1;
      if (replica < 2) {
        await server("kill", replica);
        await tree.admin.sendUserMessage(tree.child.sessionId, `while ${replica} is down`);
        await tree.admin.sendUserMessage(tree.parent.sessionId, "wake up");
        await runtime.run(await offered(runtime), async (other) => {
          for await (const { mail } of other.turns()) {
            woken += mail.length;
          }
        });
        await server("start", replica);
        turn.more();
      }
    }
  });

  assert.equal(run.outcome, "completed");
  assert.deepEqual([bodies, woken], [[["begin"], ["while 0 is down"], ["while 1 is down"]], 2]);
  const counted = await kinds(tree, tree.child, "producer_message_accepted", "producer_message_consumed", "run_started");
  const three = (type: string) => [type, type, type];
  assert.deepEqual(counted.sort(), [...three("producer_message_accepted"), ...three("producer_message_consumed"), "run_started"]);
});

test("a subscription goes on at the other replica with neither hole nor repeat", async (stage) => {
  const tree = await stage.tree();
  const rootSessionId = tree.parent.sessionId;
  await tree.approver.setAvailability(tree.child.sessionId, "paused");
  const seen: number[] = [];
  const events = tree.admin.subscribe({ rootSessionId })[Symbol.asyncIterator]();
  const followed = async () => {
    for (;;) {
      const { value } = await soon(events.next());
      assert.ok(value);
      seen.push(value.position);
      if (value.type === "producer_message_accepted") {
        return;
      }
    }
  };

  await tree.admin.sendUserMessage(tree.child.sessionId, "before");
  await followed();
  for (const replica of [0, 1]) {
    await server("kill", replica);
    await tree.admin.sendUserMessage(tree.child.sessionId, `while ${replica} is down`);
    await followed();
    await server("start", replica);
  }

  const listed: number[] = [];
  for await (const event of tree.admin.listEvents({ rootSessionId })) {
    listed.push(event.position);
  }
  assert.deepEqual(seen, listed);
});

test("when one is shut down, the other one is asked", async (stage) => {
  const tree = await stage.tree();
  const runtime = await stage.runtime(tree.host);
  for (const replica of [0, 1]) {
    await server("stop", replica);
    await tree.admin.sendUserMessage(tree.child.sessionId, `without ${replica}`);
    await runtime.run(await offered(runtime), async (run) => {
      for await (const { mail } of run.turns()) {
        assert.deepEqual(mail.map(({ body }) => body), [`without ${replica}`]);
      }
    });
    await server("start", replica);
  }
});

test("where a machine says nothing, each kind of call goes on at the other", async (stage) => {
  const { secret, child } = await stage.tree();
  const living = told("KINPOST_ADDRESS").replace("ipv4:", "");
  const read = async () => {
    const client = stage.link(secret, {}, `ipv4:${told("KINPOST_SILENT")},${living}`);
    for await (const { type } of client.subscribe({ sessionId: child.sessionId })) {
      return type;
    }
    throw new Error("a subscription does not end");
  };
  const attach = async (id: number) => {
    const client = stage.link(secret, {}, `ipv4:${told("KINPOST_SILENT")},${living}`);
    await stage.runtime(client, {}, `runtime ${id}`);
  };
  // Each of them begins at one by chance; of so many, some begin at the silent one.
  const types = await soon(Promise.all([...Array(12)].map(read)));
  await soon(Promise.all([...Array(12)].map((_, id) => attach(id))));
  assert.deepEqual(new Set(types), new Set(["session_created"]));
});

test("a client that is closed while it connects keeps no program from its end", async (stage) => {
  const opened = () => process.getActiveResourcesInfo().filter((name) => name.endsWith("ConnectWrap"));
  const client = stage.link("secret", {}, told("KINPOST_SILENT"));
  const asked = assert.rejects(client.serverInfo(), /the client is closed/);
  await eventually(async () => opened().length > 0);
  client.close();
  await soon(asked);
  await eventually(async () => opened().length === 0);
});

test("of several addresses one that is not this machine's is enough for TLS", async (stage) => {
  // 0.0.0.0 is not written as this machine's, and reaches it; here nobody speaks TLS.
  const [first = ""] = told("KINPOST_ADDRESS").replace("ipv4:", "").split(",");
  const options = { retry: { giveUpSeconds: 0 } };
  for (const _ of Array(8)) {
    const mixed = stage.link("", options, `ipv4:${first},${first.replace("127.0.0.1", "0.0.0.0")}`);
    await assert.rejects(mixed.serverInfo(), Unreachable);
  }
  await stage.link("", options, first).serverInfo();
});
