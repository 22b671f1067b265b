import assert from "node:assert/strict";
import { test } from "node:test";
import { addressesIn } from "./addresses.ts";

test("addresses are found however they were pasted, each once", () => {
  const pasted = "ben@example.org, Eve Adams <eve@example.org>;\nBEN@example.org\tzoe@example.org";
  assert.deepEqual(addressesIn(pasted), ["BEN@example.org", "eve@example.org", "zoe@example.org"]);
  assert.deepEqual(addressesIn("nobody here"), []);
});
