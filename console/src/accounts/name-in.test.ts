import assert from "node:assert/strict";
import { test } from "node:test";
import { nameIn } from "./name-in.ts";

test("an address suggests a name", () => {
  assert.equal(nameIn("cleo@example.org"), "Cleo");
  assert.equal(nameIn("ann.smith+lists@example.org"), "Ann Smith");
  assert.equal(nameIn("o'brien_j@example.org"), "O'brien J");
  assert.equal(nameIn("_@example.org"), "");
});
