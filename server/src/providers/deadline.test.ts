import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { runWithDeadline } from "./deadline.ts";

/** Rejects with the signal's reason once it aborts. */
function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort);
  });
}

test("work that exceeds its timeout is aborted", { timeout: 5_000 }, async () => {
  const { signal } = new AbortController();
  const work = runWithDeadline({ signal, timeoutMs: 1 }, rejectOnAbort);
  // The deadline's timer does not keep the process alive, so the test needs its own.
  const keepAlive = setTimeout(() => {}, 60_000);
  await assert.rejects(work, { name: "TimeoutError", message: "Timed out after 1 ms." });
  clearTimeout(keepAlive);
});

test("work is aborted with its caller's reason, even if the caller aborted before it started", async () => {
  const caller = new AbortController();
  const bounds = { signal: caller.signal, timeoutMs: 60_000 };
  const pendingWork = runWithDeadline(bounds, rejectOnAbort);
  caller.abort(new Error("The lease is lost."));
  await assert.rejects(pendingWork, /lease is lost/);
  await assert.rejects(runWithDeadline(bounds, rejectOnAbort), /lease is lost/);
});

test("finished work leaves no listener, whether it succeeded or failed", async () => {
  const { signal } = new AbortController();
  const bounds = { signal, timeoutMs: 60_000 };
  assert.equal(await runWithDeadline(bounds, async () => "done"), "done");
  const failing = runWithDeadline(bounds, async () => Promise.reject(new Error("failed")));
  await assert.rejects(failing, /failed/);
  assert.equal(getEventListeners(signal, "abort").length, 0);
});

test("work that starts together shares a signal until all of it has ended", async () => {
  const { signal } = new AbortController();
  const bounds = { signal, timeoutMs: 60_000 };
  const signals: AbortSignal[] = [];
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const runs = gates.map(({ promise }) =>
    runWithDeadline(bounds, async (workSignal) => {
      signals.push(workSignal);
      await promise;
    }),
  );
  const otherTimeout = runWithDeadline(
    { signal, timeoutMs: 50_000 },
    async (workSignal) => void signals.push(workSignal),
  );
  assert.equal(signals[0], signals[1]);
  assert.notEqual(signals[0], signals[2]);
  await otherTimeout;
  gates[0]?.resolve();
  await runs[0];
  assert.equal(getEventListeners(signal, "abort").length, 1);
  gates[1]?.resolve();
  await runs[1];
  assert.equal(getEventListeners(signal, "abort").length, 0);
  await runWithDeadline(bounds, async (workSignal) => assert.notEqual(workSignal, signals[0]));
});

test(
  "work that joins a shared deadline late still gets its full time",
  { timeout: 5_000 },
  async () => {
    const { signal } = new AbortController();
    const bounds = { signal, timeoutMs: 400 };
    const earlierWork = runWithDeadline(bounds, rejectOnAbort);
    // Work can join for a fortieth of the timeout, which is 10 ms.
    await new Promise((resolve) => setTimeout(resolve, 8));
    const startedAt = performance.now();
    const laterWork = runWithDeadline(bounds, rejectOnAbort);
    const keepAlive = setTimeout(() => {}, 60_000);
    await assert.rejects(earlierWork, { name: "TimeoutError" });
    await assert.rejects(laterWork, { name: "TimeoutError" });
    // A timer may fire a millisecond early.
    assert.ok(performance.now() - startedAt >= bounds.timeoutMs - 1);
    clearTimeout(keepAlive);
  },
);
