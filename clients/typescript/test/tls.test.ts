// A server that speaks TLS, at KINPOST_ADDRESS, and its certificate, KINPOST_CERTIFICATE.

import assert from "node:assert/strict";

import { Unreachable } from "@kinpost/client";

import { offered, test, told } from "./stage.js";

const rootCertificates = told("KINPOST_CERTIFICATE");
const PATIENCE = { giveUpSeconds: 0 };

test("who trusts the certificate comes in, with calls and streams", async (stage) => {
  const client = stage.link(told("KINPOST_TOKEN"), { rootCertificates });
  const session = await client.createSession("explore", { starter: "wake" });
  const runtime = await stage.runtime(client);
  await client.sendUserMessage(session.sessionId, "hello");
  assert.equal((await offered(runtime)).sessionId, session.sessionId);
});

test("who does not trust it, or speaks plainly, stays out", async (stage) => {
  for (const options of [{ tls: true }, { tls: false }, {}]) {
    const client = stage.link(told("KINPOST_TOKEN"), { ...options, retry: PATIENCE });
    await assert.rejects(client.serverInfo(), Unreachable, JSON.stringify(options));
  }
});
