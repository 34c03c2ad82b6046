// Decodes and encodes vectors with a TypeScript binding, and prints how many there were and which did not agree.
//
// Arguments: the module that exports the schemas, and a folder of vector files.
import { fromBinary, fromJson, toBinary, toJson } from "@bufbuild/protobuf";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { pathToFileURL } from "node:url";

const [modulePath, folder] = process.argv.slice(2);
const binding = await import(pathToFileURL(modulePath).href);
const hex = (bytes) => Buffer.from(bytes).toString("hex");
const disagreements = [];
let count = 0;

function compare(vector, what, expected, make) {
  let got;
  try {
    got = make();
  } catch (error) {
    got = String(error);
  }
  if (!isDeepStrictEqual(got, expected)) {
    disagreements.push({ message: vector.message, case: vector.case, what, got });
  }
}

for (const file of readdirSync(folder).sort()) {
  for (const vector of JSON.parse(readFileSync(join(folder, file), "utf8"))) {
    count += 1;
    const schema = binding[`${vector.message.split(".").slice(2).join("_")}Schema`];
    const bytes = Buffer.from(vector.hex, "hex");
    compare(vector, "bytes", vector.hex, () => hex(toBinary(schema, fromBinary(schema, bytes))));
    compare(vector, "json", vector.json, () => toJson(schema, fromBinary(schema, bytes)));
    compare(vector, "bytes from json", vector.hex, () => hex(toBinary(schema, fromJson(schema, vector.json))));
  }
}
console.log(JSON.stringify({ count, disagreements }));
