import assert from "node:assert/strict";
import { test } from "node:test";
import { parseFrameMessage } from "./frame-message.ts";

test("messages from the frame are parsed, and all others are ignored", () => {
  const shownMessage = { kind: "shown", width: 640, height: 480 };
  assert.deepEqual(parseFrameMessage(shownMessage), shownMessage);
  assert.deepEqual(parseFrameMessage({ kind: "failed" }), { kind: "failed" });
  for (const ignoredMessage of [
    null,
    "shown",
    {},
    { kind: "shown" },
    { ...shownMessage, width: 0 },
    { ...shownMessage, height: "1" },
  ]) {
    assert.equal(parseFrameMessage(ignoredMessage), null);
  }
});
