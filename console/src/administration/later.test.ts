import assert from "node:assert/strict";
import { test } from "node:test";
import { parseLater } from "./later.ts";

test("steps that were left are read, and nothing else is", () => {
  assert.deepEqual([...parseLater("mail nonsense address")], ["address", "mail"]);
  assert.deepEqual([...parseLater(null)], []);
});
