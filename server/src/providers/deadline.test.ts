import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { withDeadline } from "./deadline.ts";

/** Rejects with the signal's reason once it fires. */
function untilGivenUp(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const giveUp = () => reject(signal.reason as Error);
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp);
  });
}

test("work that is not done in time is given up", { timeout: 5_000 }, async () => {
  const { signal } = new AbortController();
  const work = withDeadline({ signal, limitMs: 1 }, untilGivenUp);
  // The deadline's timer keeps no process alive.
  const alive = setTimeout(() => {}, 60_000);
  await assert.rejects(work, { name: "TimeoutError", message: "Not done after 1 ms." });
  clearTimeout(alive);
});

test("work is given up with its caller, before it begins as well, and says why", async () => {
  const caller = new AbortController();
  const bounds = { signal: caller.signal, limitMs: 60_000 };
  const under = withDeadline(bounds, untilGivenUp);
  caller.abort(new Error("The lease is lost."));
  await assert.rejects(under, /lease is lost/);
  await assert.rejects(withDeadline(bounds, untilGivenUp), /lease is lost/);
});

test("work that is done leaves nothing behind, whether it fails or not", async () => {
  const { signal } = new AbortController();
  const bounds = { signal, limitMs: 60_000 };
  assert.equal(await withDeadline(bounds, async () => "done"), "done");
  const failing = withDeadline(bounds, async () => Promise.reject(new Error("failed")));
  await assert.rejects(failing, /failed/);
  assert.equal(getEventListeners(signal, "abort").length, 0);
});

test("work that begins together shares a signal, which ends with the last of it", async () => {
  const { signal } = new AbortController();
  const bounds = { signal, limitMs: 60_000 };
  const seen: AbortSignal[] = [];
  const ends = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const works = ends.map(({ promise }) =>
    withDeadline(bounds, async (own) => {
      seen.push(own);
      await promise;
    }),
  );
  const other = withDeadline({ signal, limitMs: 50_000 }, async (own) => void seen.push(own));
  assert.equal(seen[0], seen[1]);
  assert.notEqual(seen[0], seen[2]);
  await other;
  ends[0]?.resolve();
  await works[0];
  assert.equal(getEventListeners(signal, "abort").length, 1);
  ends[1]?.resolve();
  await works[1];
  assert.equal(getEventListeners(signal, "abort").length, 0);
  await withDeadline(bounds, async (own) => assert.notEqual(own, seen[0]));
});

test("work that joins a deadline late has no less time", { timeout: 5_000 }, async () => {
  const { signal } = new AbortController();
  const bounds = { signal, limitMs: 400 };
  const first = withDeadline(bounds, untilGivenUp);
  await new Promise((resolve) => setTimeout(resolve, 8));
  const begunAt = performance.now();
  const second = withDeadline(bounds, untilGivenUp);
  const alive = setTimeout(() => {}, 60_000);
  await assert.rejects(first, { name: "TimeoutError" });
  await assert.rejects(second, { name: "TimeoutError" });
  // A timer may fire a millisecond early.
  assert.ok(performance.now() - begunAt >= 399);
  clearTimeout(alive);
});
