import assert from "node:assert/strict";
import { test } from "node:test";
import { countSecondsBetween } from "./count-seconds-between.ts";

test("the seconds between two times do not depend on their order", () => {
  const at = "2026-01-01T00:00:00.000Z";
  assert.equal(countSecondsBetween(at, Date.parse(at) + 90_400), 90);
  assert.equal(countSecondsBetween(Date.parse(at) + 90_400, at), 90);
});
