// The demonstration's second runtime: it hosts the scout and reports, line by line, what its model sees.
//
// Its parent writes JSON lines to its standard input: first where and what it is, then the places whose survey may end.
// It ends when that input does.

import { createInterface } from "node:readline";

import { connect, type Run } from "@kinpost/client";

import { type Call, type Request, scout } from "./scout.js";

interface Life {
  readonly name: string;
  readonly address: string;
  readonly token: string;
  readonly agents: readonly string[];
  readonly any_session: boolean;
}

const lines = createInterface(process.stdin)[Symbol.asyncIterator]();
const conversations = new Map<string, Request[]>();
const surveys = new Map<string, { done: Promise<void>; end: () => void }>();

/** Writes one line to the parent. */
function report(kind: string, facts: Record<string, unknown>): void {
  process.stdout.write(`${JSON.stringify({ kind, ...facts })}\n`);
}

/** Returns the survey of a place, which ends when the parent says so. */
function surveyOf(place: string): { done: Promise<void>; end: () => void } {
  let survey = surveys.get(place);
  if (survey === undefined) {
    let end = () => {};
    survey = { done: new Promise<void>((resolve) => (end = resolve)), end: () => end() };
    surveys.set(place, survey);
  }
  return survey;
}

/** Runs one run: each turn is one model request, with the mail that came until then. */
async function host(run: Run): Promise<void> {
  const tell = (kind: string, facts: Record<string, unknown>) => {
    const turn = run.turn?.number ?? 0;
    report(kind, { agent: run.offer?.agent, session_id: run.sessionId, run: run.number, turn, ...facts });
  };

  const carryOut = async (call: Call): Promise<Request["results"][number]> => {
    if (call.tool === "survey") {
      const place = call.arguments["place"] ?? "";
      tell("surveying", { place });
      await surveyOf(place).done;
      return { tool: call.tool, text: `${place}: 12 crates, dry` };
    }
    const result = await run.callTool(call.tool, call.arguments, { toolCallId: call.id });
    tell("result", { tool: call.tool, text: result.text, code: result.code, structured: result.structured });
    return { tool: call.tool, text: result.text };
  };

  const conversation = [...(conversations.get(run.sessionId) ?? [])];
  let results: Request["results"] = [];
  for await (const turn of run.turns()) {
    const tools = [...(await run.listTools()).map((tool) => tool.name), "survey"];
    const prompts = turn.mail.map((mail) => mail.text);
    conversation.push({ results, prompts });
    tell("request", { texts: [...results.map(({ tool, text }) => `${tool} → ${text}`), ...prompts], tools });
    const reply = scout(conversation);
    turn.keep();
    if ("text" in reply) {
      results = [];
      tell("says", { text: reply.text });
      conversations.set(run.sessionId, [...conversation]);
      continue;
    }
    for (const call of reply.calls) {
      tell("calls", { tool: call.tool, arguments: call.arguments });
    }
    results = await Promise.all(reply.calls.map(carryOut));
    turn.more();
  }
}

const first = await lines.next();
const life = JSON.parse(first.value ?? "null") as Life | null;
if (life !== null) {
  const client = connect(life.address, { token: life.token });
  const runtime = await client.runtime(life.name, { agents: life.agents, anySession: life.any_session, slots: 4 });
  report("ready", { root_session_id: "", handle: "" });
  const serving = runtime.serve(host);
  for (let line = await lines.next(); !line.done; line = await lines.next()) {
    surveyOf((JSON.parse(line.value) as { surveyed: string }).surveyed).end();
  }
  await runtime.close();
  await serving;
  client.close();
}
