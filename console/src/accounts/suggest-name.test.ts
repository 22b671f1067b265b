import assert from "node:assert/strict";
import { test } from "node:test";
import { suggestName } from "./suggest-name.ts";

test("an email address suggests a name", () => {
  assert.equal(suggestName("cleo@example.org"), "Cleo");
  assert.equal(suggestName("ann.smith+lists@example.org"), "Ann Smith");
  assert.equal(suggestName("o'brien_j@example.org"), "O'brien J");
  assert.equal(suggestName("_@example.org"), "");
});
