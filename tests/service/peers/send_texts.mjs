// Sends texts by the TypeScript client, one a line of standard input, and tells what came of each.

import { createInterface } from "node:readline";

import { connect, KinpostError } from "@kinpost/client";

const { KINPOST_ADDRESS, KINPOST_TOKEN } = process.env;
const client = connect(KINPOST_ADDRESS, { token: KINPOST_TOKEN });

async function send({ source, target, text, tldr }) {
  try {
    await client.peers.send(source, target, text, tldr === null ? {} : { tldr });
  } catch (error) {
    if (error instanceof KinpostError) {
      return { error: error.code, field: error.field ?? "" };
    }
    throw error;
  }
  if (tldr === null) {
    return { error: "" };
  }
  const { messages } = await client.peers.listSent(source, { limit: 1 });
  const pulled = await client.peers.getBody(messages[0].bodyId);
  return { error: "", text: pulled.text, tldr: messages[0].tldr, chars: messages[0].chars };
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await send(JSON.parse(line)))}\n`);
}
client.close();
