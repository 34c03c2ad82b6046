// Calls that wait for a person, and the person who answers.

import assert from "node:assert/strict";

import { ApprovalDenied, ApprovalPending, type Client, PermissionDenied, type Run, type Session } from "@kinpost/client";

import { eventually, payloads, type Stage, test, type Tree } from "./stage.js";

/** Returns an agent whose rules ask, and its parent, to whom it writes. */
async function asker(tree: Tree): Promise<Session> {
  return await tree.host.createSession("explore", {
    parentSessionId: tree.parent.sessionId,
    messageRules: { parent: "ask" },
    starter: "wake",
  });
}

/** Runs a body in the one turn of an asker's run. */
async function running(stage: Stage, tree: Tree, session: Session, body: (run: Run) => Promise<void>): Promise<void> {
  const runtime = await stage.runtime(tree.host);
  await runtime.start(session.sessionId, async (run) => {
    for await (const _ of run.turns()) {
      await body(run);
    }
  });
}

/** Waits for what is asked in a tree, and returns its id. */
async function asked(approver: Client, tree: Tree): Promise<string> {
  const found: string[] = [];
  await eventually(async () => {
    for await (const approval of approver.approvals.list(tree.parent.sessionId)) {
      found.push(approval.approvalId);
    }
    return found.length > 0;
  });
  return found[0] ?? "";
}

test("a call waits for the answer, and a tool call too", async (stage) => {
  const tree = await stage.tree();
  const session = await asker(tree);
  await running(stage, tree, session, async (run) => {
    const sending = run.send(tree.parent.sessionId, "may I?");
    const approvalId = await asked(tree.approver, tree);
    const decided = await tree.approver.approvals.decide(session.sessionId, approvalId, "allow_once", { reason: "yes" });
    assert.deepEqual([decided.state, decided.decision, decided.reason], ["used", "allow_once", "yes"]);
    assert.deepEqual(decided.arguments, { to: tree.parent.sessionId, body: "may I?", mode: "steer" });
    assert.deepEqual(await tree.host.approvals.get(session.sessionId, approvalId), decided);
    const { messageId } = await sending;
    const [used] = await payloads(tree, session, "approval_used");
    assert.equal(used?.messageId, messageId);

    const given = { to: tree.parent.sessionId, body: "for ever?" };
    const calling = run.callTool("send_message", given, { toolCallId: "call_1" });
    await tree.approver.approvals.decide(session.sessionId, await asked(tree.approver, tree), "allow_for_tree");
    assert.ok(!(await calling).isError);
    await run.send(tree.parent.sessionId, "nobody is asked any more", { approvalWaitSeconds: 0 });
  });
});

test("who does not wait is told what waits, and a denial is a permission denial", async (stage) => {
  const tree = await stage.tree();
  const session = await asker(tree);
  await running(stage, tree, session, async (run) => {
    const send = { toolCallId: "call_1", approvalWaitSeconds: 0 };
    const pending = await run.send(tree.parent.sessionId, "may I?", send).catch((error: unknown) => error);
    assert.ok(pending instanceof ApprovalPending);
    assert.equal(pending.approvalId, await asked(tree.approver, tree));
    const waiting = run.send(tree.parent.sessionId, "may I?", { ...send, approvalWaitSeconds: 0.05 });
    await assert.rejects(waiting, ApprovalPending);
    const given = { to: tree.parent.sessionId, body: "may I?" };
    const told = await run.callTool("send_message", given, send);
    assert.deepEqual([told.isError, told.code], [false, "approval:pending"]);
    assert.equal(told.structured["approval_id"], pending.approvalId);

    await tree.approver.approvals.decide(session.sessionId, pending.approvalId, "deny", { reason: "no" });
    await assert.rejects(run.send(tree.parent.sessionId, "may I?", send), (error) => {
      return error instanceof ApprovalDenied && error instanceof PermissionDenied && /a person refused: no/.test(error.message);
    });
  });
});
