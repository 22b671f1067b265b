import assert from "node:assert/strict";
import test from "node:test";
import {
  addBrowser,
  delayResponse,
  queueAttempts,
  startAttempts,
  tryOnce,
  type AttemptBench,
  type GivenTry,
} from "../../../test/support/attempt-bench.ts";
import { notificationTo } from "../../../test/support/notifications.ts";
import type { Outcome } from "#providers/provider.ts";
import { waitState } from "../delivery.ts";

const MINUTE_MS = 60_000;
const REASON = { code: "provider_misconfigured", detail: null } as const;
const REFUSED: Outcome = { kind: "refused", reason: REASON };

/** Tries a device that is not reached now, and returns its pending state. */
async function tryUntilPending(bench: AttemptBench, device: string, options: GivenTry = {}) {
  const tried = await tryOnce(bench, device, options);
  assert.ok(tried?.report.kind === "pending");
  return { ...tried, pending: tried.report.pending };
}

test("devices of a notification without a place are due together, at a whole second", async (t) => {
  let count = 0;
  const bench = await startAttempts(t, { random: () => (count += 0.1) % 1 });
  const { context, accountId, provider } = bench;
  const devices = [await addBrowser(bench, "a/1"), await addBrowser(bench, "a/2")];
  for (const endpoint of ["a/1", "a/2"]) provider.scriptPlace(endpoint, async () => null);
  context.clock.advance(1);
  const delays: number[] = [];
  for (const end of ["0000", "ffff"]) {
    const { id, ...rest } = notificationTo(context, accountId);
    const notification = { ...rest, id: `${id.slice(0, -4)}${end}` };
    for (const device of devices) {
      const { pending } = await tryUntilPending(bench, device, { notification });
      delays.push(pending.runAt - context.now() + 1);
    }
  }
  // No request is sent without a place, so the wait is short: from half of five seconds up to all of it.
  assert.deepEqual(delays, [3_000, 3_000, 6_000, 6_000]);
});

test("a device that keeps waiting for the same reason has no new state", async (t) => {
  const bench = await startAttempts(t);
  const { provider } = bench;
  const device = await addBrowser(bench, "a/1");
  provider.script("a/1", async () => REFUSED);
  await tryOnce(bench, device);
  const first = await tryUntilPending(bench, device);
  assert.deepEqual(first.deviceState, { deviceId: device, state: "held", isSuspect: false });
  const second = await tryUntilPending(bench, device, { before: first.pending });
  assert.equal(second.deviceState, null);
  const failed = { ...first.pending, code: "transient" } as const;
  const otherReason = await tryUntilPending(bench, device, { before: failed });
  assert.equal(otherReason.deviceState?.state, "held");
});

test("a device whose queue is full waits only seconds, even if one message takes minutes", async (t) => {
  const bench = await startAttempts(t);
  const { context } = bench;
  const device = await addBrowser(bench, "a/1");
  const { begun, respond } = delayResponse(bench, "a/1");
  const first = tryOnce(bench, device);
  await begun;
  const tries = [first, ...(await queueAttempts(bench, device, 3))];
  const waitMs = async () => (await tryUntilPending(bench, device)).pending.runAt - context.now();
  const shortWaitMs = await waitMs();
  assert.ok(shortWaitMs >= 500 && shortWaitMs <= 2_500, `${shortWaitMs} ms`);
  context.clock.advance(10 * MINUTE_MS);
  const longWaitMs = await waitMs();
  assert.ok(longWaitMs >= 5_000 && longWaitMs <= 16_000, `${longWaitMs} ms`);
  respond();
  await Promise.all(tries);
});

test("an unfinished device is queued, held or retrying", () => {
  assert.equal(waitState({ code: null }), "queued");
  assert.equal(waitState({ code: "provider_misconfigured" }), "held");
  assert.equal(waitState({ code: "rate_limited" }), "retrying");
});

test("an attempt reports the state of its device, and whether its address is suspect", async (t) => {
  const bench = await startAttempts(t);
  const { provider } = bench;
  const device = await addBrowser(bench, "a/1");
  const retry = (code: "suspect" | "transient"): Outcome => {
    return { kind: "retry", reason: { code, detail: null }, afterMs: null, counted: true };
  };
  const outcomes: readonly [Outcome, string, boolean][] = [
    [retry("suspect"), "retrying", true],
    [retry("transient"), "retrying", false],
    [{ kind: "accepted", receipt: null }, "accepted", false],
  ];
  for (const [outcome, state, isSuspect] of outcomes) {
    provider.script("a/1", async () => outcome);
    const tried = await tryOnce(bench, device);
    assert.deepEqual(tried?.deviceState, { deviceId: device, state, isSuspect });
  }
});
