// A server that does not speak this client's version of the protocol any more.

import assert from "node:assert/strict";

import { UnsupportedVersion } from "@kinpost/client";

import { soon, test, told } from "./stage.js";

test("an unsupported version is refused before anything else, and names both", async (stage) => {
  const client = stage.link("no token at all");
  const refused = (error: unknown) => {
    assert.ok(error instanceof UnsupportedVersion, String(error));
    assert.deepEqual(
      [error.metadata["client_version"], error.metadata["server_version"]],
      ["20", told("KINPOST_VERSION")],
    );
    return /version '20' of the protocol, this server/.test(error.message);
  };

  await assert.rejects(client.serverInfo(), refused);
  await assert.rejects(client.getSession("nobody"), refused);
  await assert.rejects(soon(client.subscribe()[Symbol.asyncIterator]().next()), refused);
  await assert.rejects(soon(client.runtime("north")), refused);
});
