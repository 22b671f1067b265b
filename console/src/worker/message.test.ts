import assert from "node:assert/strict";
import { test } from "node:test";
import { isTakeOver, parseWorkerMessage } from "./message.ts";

test("the worker's messages are understood, and those of others passed over", () => {
  const arrived = { kind: "arrived", id: "0190", sound: "harp" };
  assert.deepEqual(parseWorkerMessage(arrived), arrived);
  // A worker of an older version names neither.
  const bare = { kind: "arrived", id: "", sound: null };
  assert.deepEqual(parseWorkerMessage({ kind: "arrived" }), bare);
  assert.deepEqual(parseWorkerMessage({ kind: "renewed" }), { kind: "renewed" });
  const open = { kind: "open", path: "/n/1" };
  assert.deepEqual(parseWorkerMessage(open), open);
  for (const other of [null, "arrived", {}, { kind: "open" }, { kind: "open", path: 1 }]) {
    assert.equal(parseWorkerMessage(other), null);
  }
});

test("a worker takes over only when it is told so", () => {
  assert.equal(isTakeOver({ kind: "take-over" }), true);
  for (const other of [null, undefined, "take-over", {}, { kind: "open" }]) {
    assert.equal(isTakeOver(other), false);
  }
});
