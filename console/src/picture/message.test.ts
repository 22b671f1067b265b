import assert from "node:assert/strict";
import { test } from "node:test";
import { parseFrameMessage } from "./message.ts";

test("the frame's messages are understood, and those of others passed over", () => {
  const shown = { kind: "shown", width: 640, height: 480 };
  assert.deepEqual(parseFrameMessage(shown), shown);
  assert.deepEqual(parseFrameMessage({ kind: "failed" }), { kind: "failed" });
  for (const other of [
    null,
    "shown",
    {},
    { kind: "shown" },
    { ...shown, width: 0 },
    { ...shown, height: "1" },
  ]) {
    assert.equal(parseFrameMessage(other), null);
  }
});
