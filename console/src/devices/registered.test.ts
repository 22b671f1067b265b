import assert from "node:assert/strict";
import { test } from "node:test";
import { parseRegistered } from "./registered.ts";

test("a kept registration is read back, and anything else counts as nothing", () => {
  const registered = { accountId: "a", deviceId: "d", endpoint: "https://push.example.org/1" };
  assert.deepEqual(parseRegistered(JSON.stringify(registered)), registered);
  const broken = [null, "", "{", "null", "7", "{}", JSON.stringify({ ...registered, endpoint: 1 })];
  for (const text of broken) assert.equal(parseRegistered(text), null, String(text));
});
