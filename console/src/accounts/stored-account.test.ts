import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAccount } from "./stored-account.ts";

const ANN = { id: "0190-a", email: "ann@example.org", name: "Ann", isAdmin: true };

test("a stored account is parsed; any other value is null", () => {
  assert.deepEqual(parseAccount(JSON.stringify(ANN)), ANN);
  for (const text of [null, "", "null", "{", "[]", JSON.stringify({ ...ANN, isAdmin: "yes" })]) {
    assert.equal(parseAccount(text), null);
  }
});
