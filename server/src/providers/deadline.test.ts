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
  // The deadline's timer alone keeps no process alive.
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

test("what is done leaves nothing behind, whether it fails or not", async () => {
  const { signal } = new AbortController();
  const bounds = { signal, limitMs: 60_000 };
  assert.equal(await withDeadline(bounds, async () => "done"), "done");
  const failing = withDeadline(bounds, async () => Promise.reject(new Error("failed")));
  await assert.rejects(failing, /failed/);
  assert.equal(getEventListeners(signal, "abort").length, 0);
});
