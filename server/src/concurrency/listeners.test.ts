import assert from "node:assert/strict";
import test from "node:test";
import { Listeners } from "./listeners.ts";

test("a call reaches all listeners added before it, in the order they were added", () => {
  const listeners = new Listeners<[name: string]>();
  const calls: string[] = [];
  const { call } = listeners;
  call("nobody");
  listeners.add((name) => calls.push(`first ${name}`));
  listeners.add((name) => calls.push(`second ${name}`));
  call("a");
  assert.deepEqual(calls, ["first a", "second a"]);
});
