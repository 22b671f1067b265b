import assert from "node:assert/strict";
import { test } from "node:test";
import { Backoff } from "./backoff.ts";

function createBackoff(startMs: number) {
  const clock = { ms: startMs };
  return { clock, backoff: new Backoff(() => clock.ms) };
}

test("consecutive failures double the wait, from one second to one minute", () => {
  const { clock, backoff } = createBackoff(1_000_000);
  assert.ok(backoff.mayConnect);
  for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
    backoff.recordFailure();
    clock.ms += seconds * 1000 - 1;
    assert.equal(backoff.mayConnect, false);
    clock.ms += 1;
    assert.equal(backoff.mayConnect, true);
  }
});

test("a response resets the wait", () => {
  const { clock, backoff } = createBackoff(1_000_000);
  backoff.recordFailure();
  backoff.recordFailure();
  backoff.recordResponse();
  assert.ok(backoff.mayConnect);
  backoff.recordFailure();
  clock.ms += 1000;
  assert.ok(backoff.mayConnect);
});

test("the first orderly close in a row causes no wait, and the second one does", () => {
  const { clock, backoff } = createBackoff(1_000_000);
  backoff.recordOrderlyClose();
  assert.ok(backoff.mayConnect);
  backoff.recordOrderlyClose();
  assert.equal(backoff.mayConnect, false);
  clock.ms += 2000;
  assert.ok(backoff.mayConnect);
});
