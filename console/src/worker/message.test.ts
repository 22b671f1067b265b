import assert from "node:assert/strict";
import { test } from "node:test";
import { isTakeOverMessage, parseWorkerMessage } from "./message.ts";

test("messages from the worker are parsed, and all others are ignored", () => {
  const arrivedMessage = { kind: "arrived", id: "0190", sound: "harp" };
  assert.deepEqual(parseWorkerMessage(arrivedMessage), arrivedMessage);
  // A worker of an older version sends neither id nor sound.
  const messageWithoutDetails = { kind: "arrived", id: "", sound: null };
  assert.deepEqual(parseWorkerMessage({ kind: "arrived" }), messageWithoutDetails);
  assert.deepEqual(parseWorkerMessage({ kind: "renewed" }), { kind: "renewed" });
  const openMessage = { kind: "open", path: "/n/1" };
  assert.deepEqual(parseWorkerMessage(openMessage), openMessage);
  for (const ignoredMessage of [null, "arrived", {}, { kind: "open" }, { kind: "open", path: 1 }]) {
    assert.equal(parseWorkerMessage(ignoredMessage), null);
  }
});

test("a worker takes over only after a take-over message", () => {
  assert.equal(isTakeOverMessage({ kind: "take-over" }), true);
  for (const ignoredMessage of [null, undefined, "take-over", {}, { kind: "open" }]) {
    assert.equal(isTakeOverMessage(ignoredMessage), false);
  }
});
