import assert from "node:assert/strict";
import test from "node:test";
import { parsePage } from "./page.ts";

test("a limit is a whole number from 1 to 200 in plain decimal, and 50 by default", () => {
  for (const [limit, expected] of [
    ["1", 1],
    ["200", 200],
  ] as const)
    assert.equal(parsePage({ limit }).limit, expected);
  assert.equal(parsePage({}).limit, 50);
  for (const limit of ["", "0", "-1", "201", "1.5", "0x10", "1e2", " 5 ", "05"]) {
    assert.throws(() => parsePage({ limit }), { code: "invalid_field", field: "limit" }, limit);
  }
});
