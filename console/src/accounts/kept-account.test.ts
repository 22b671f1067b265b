import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAccount } from "./kept-account.ts";

const ANN = { id: "0190-a", email: "ann@example.org", name: "Ann", isAdmin: true };

test("a kept account is read, and anything else is nobody", () => {
  assert.deepEqual(parseAccount(JSON.stringify(ANN)), ANN);
  for (const text of [null, "", "null", "{", "[]", JSON.stringify({ ...ANN, isAdmin: "yes" })]) {
    assert.equal(parseAccount(text), null);
  }
});
