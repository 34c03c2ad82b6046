// Two replicas, at KINPOST_ADDRESS, that refuse whatever they are asked: KINPOST_NAMES says with what.

import assert from "node:assert/strict";

import { KinpostError } from "@kinpost/client";

import { test, told } from "./stage.js";

test("each call is asked, and asked again where that may help", async (stage) => {
  const asked = async (name: string) => {
    const client = stage.link("secret", { retry: { giveUpSeconds: 10 } });
    await assert.rejects(client.getSession(name), (error) => error instanceof KinpostError, name);
  };
  await Promise.all((JSON.parse(told("KINPOST_NAMES")) as string[]).map(asked));
});
