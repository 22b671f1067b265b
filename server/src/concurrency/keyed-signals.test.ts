import assert from "node:assert/strict";
import test from "node:test";
import { KeyedSignals } from "./keyed-signals.ts";

test("an abort wakes a wait at once, and an ended wait is not kept", async () => {
  const signals = new KeyedSignals();
  const controller = new AbortController();
  const wait = signals.begin("disk", controller.signal);
  const startedAt = performance.now();
  const next = wait.next(5_000);
  controller.abort();
  await next;
  assert.ok(performance.now() - startedAt < 1_000);
  assert.equal(signals.size, 1);
  wait.end();
  assert.equal(signals.size, 0);
});
