import assert from "node:assert/strict";
import { test } from "node:test";
import { Backoff } from "./backoff.ts";

function backoffAt(startMs: number) {
  const clock = { ms: startMs };
  return { clock, backoff: new Backoff(() => clock.ms) };
}

test("each failure in a row doubles the wait, from a second to a minute", () => {
  const { clock, backoff } = backoffAt(1_000_000);
  assert.ok(backoff.isOver);
  for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
    backoff.failed();
    clock.ms += seconds * 1000 - 1;
    assert.equal(backoff.isOver, false);
    clock.ms += 1;
    assert.equal(backoff.isOver, true);
  }
});

test("an answer ends the wait and the doubling", () => {
  const { clock, backoff } = backoffAt(1_000_000);
  backoff.failed();
  backoff.failed();
  backoff.succeeded();
  assert.ok(backoff.isOver);
  backoff.failed();
  clock.ms += 1000;
  assert.ok(backoff.isOver);
});

test("the first connection shut in good order costs no wait, the second in a row does", () => {
  const { clock, backoff } = backoffAt(1_000_000);
  backoff.turnedAway();
  assert.ok(backoff.isOver);
  backoff.turnedAway();
  assert.equal(backoff.isOver, false);
  clock.ms += 2000;
  assert.ok(backoff.isOver);
});
