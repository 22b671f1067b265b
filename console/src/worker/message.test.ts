import assert from "node:assert/strict";
import { test } from "node:test";
import { isTakeOver, parseWorkerMessage } from "./message.ts";

test("messages of the worker are parsed, and all others are ignored", () => {
  const arrivedMessage = { kind: "arrived", id: "0190", sound: "harp" };
  assert.deepEqual(parseWorkerMessage(arrivedMessage), arrivedMessage);
  // A worker of an older version sends neither id nor sound.
  const withoutDetails = { kind: "arrived", id: "", sound: null };
  assert.deepEqual(parseWorkerMessage({ kind: "arrived" }), withoutDetails);
  assert.deepEqual(parseWorkerMessage({ kind: "renewed" }), { kind: "renewed" });
  const open = { kind: "open", path: "/n/1" };
  assert.deepEqual(parseWorkerMessage(open), open);
  for (const unrelated of [null, "arrived", {}, { kind: "open" }, { kind: "open", path: 1 }]) {
    assert.equal(parseWorkerMessage(unrelated), null);
  }
});

test("a worker takes over only after a take-over message", () => {
  assert.equal(isTakeOver({ kind: "take-over" }), true);
  for (const unrelated of [null, undefined, "take-over", {}, { kind: "open" }]) {
    assert.equal(isTakeOver(unrelated), false);
  }
});
