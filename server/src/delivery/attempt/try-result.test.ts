import assert from "node:assert/strict";
import test from "node:test";
import {
  addBrowserDevice,
  delayResponse,
  queueAttempts,
  createAttemptFixture,
  attemptOnce,
  type AttemptFixture,
  type AttemptOptions,
} from "../../../test/support/attempt-fixture.ts";
import { createNotification } from "../../../test/support/notifications.ts";
import type { Outcome } from "#providers/provider.ts";
import { getWaitState } from "../delivery.ts";

const MINUTE_MS = 60_000;
const REASON = { code: "provider_misconfigured", detail: null } as const;
const REFUSED: Outcome = { kind: "refused", reason: REASON };

/** Tries a device that is not reached now, and returns its pending state. */
async function tryUntilPending(
  fixture: AttemptFixture,
  deviceId: string,
  options: AttemptOptions = {},
) {
  const attempt = await attemptOnce(fixture, deviceId, options);
  assert.ok(attempt?.report.kind === "pending");
  return { ...attempt, pending: attempt.report.pending };
}

test("devices of one notification that get no permit are due together, at a whole second", async (t) => {
  let count = 0;
  const fixture = await createAttemptFixture(t, { random: () => (count += 0.1) % 1 });
  const { context, accountId, provider } = fixture;
  const deviceIds = [
    await addBrowserDevice(fixture, "a/1"),
    await addBrowserDevice(fixture, "a/2"),
  ];
  for (const endpoint of ["a/1", "a/2"]) provider.scriptAdmission(endpoint, async () => null);
  context.clock.advance(1);
  const delays: number[] = [];
  for (const end of ["0000", "ffff"]) {
    const { id, ...rest } = createNotification(context, accountId);
    const notification = { ...rest, id: `${id.slice(0, -4)}${end}` };
    for (const deviceId of deviceIds) {
      const { pending } = await tryUntilPending(fixture, deviceId, { notification });
      delays.push(pending.runAt - context.now() + 1);
    }
  }
  // No request is sent without a permit, so the wait is short: from half of five seconds up to all of it.
  assert.deepEqual(delays, [3_000, 3_000, 6_000, 6_000]);
});

test("a device that keeps waiting for the same reason has no new state", async (t) => {
  const fixture = await createAttemptFixture(t);
  const { provider } = fixture;
  const deviceId = await addBrowserDevice(fixture, "a/1");
  provider.script("a/1", async () => REFUSED);
  await attemptOnce(fixture, deviceId);
  const first = await tryUntilPending(fixture, deviceId);
  assert.deepEqual(first.deviceState, { deviceId, state: "held", isSuspect: false });
  const second = await tryUntilPending(fixture, deviceId, { pendingDevice: first.pending });
  assert.equal(second.deviceState, null);
  const failed = { ...first.pending, code: "transient" } as const;
  const otherReason = await tryUntilPending(fixture, deviceId, { pendingDevice: failed });
  assert.equal(otherReason.deviceState?.state, "held");
});

test("a device whose queue is full waits only seconds, even if one message takes minutes", async (t) => {
  const fixture = await createAttemptFixture(t);
  const { context } = fixture;
  const deviceId = await addBrowserDevice(fixture, "a/1");
  const { requestStarted, respond } = delayResponse(fixture, "a/1");
  const first = attemptOnce(fixture, deviceId);
  await requestStarted;
  const queuedAttempts = [first, ...(await queueAttempts(fixture, deviceId, 3))];
  const getWaitMs = async () =>
    (await tryUntilPending(fixture, deviceId)).pending.runAt - context.now();
  const shortWaitMs = await getWaitMs();
  assert.ok(shortWaitMs >= 500 && shortWaitMs <= 2_500, `${shortWaitMs} ms`);
  context.clock.advance(10 * MINUTE_MS);
  const longWaitMs = await getWaitMs();
  assert.ok(longWaitMs >= 5_000 && longWaitMs <= 16_000, `${longWaitMs} ms`);
  respond();
  await Promise.all(queuedAttempts);
});

test("an unfinished device is queued, held or retrying", () => {
  assert.equal(getWaitState({ code: null }), "queued");
  assert.equal(getWaitState({ code: "provider_misconfigured" }), "held");
  assert.equal(getWaitState({ code: "rate_limited" }), "retrying");
});

test("an attempt reports the state of its device, and whether its address is suspect", async (t) => {
  const fixture = await createAttemptFixture(t);
  const { provider } = fixture;
  const deviceId = await addBrowserDevice(fixture, "a/1");
  const createRetry = (code: "suspect" | "transient"): Outcome => {
    return { kind: "retry", reason: { code, detail: null }, afterMs: null, isCounted: true };
  };
  const outcomes: readonly [Outcome, string, boolean][] = [
    [createRetry("suspect"), "retrying", true],
    [createRetry("transient"), "retrying", false],
    [{ kind: "accepted", receipt: null }, "accepted", false],
  ];
  for (const [outcome, state, isSuspect] of outcomes) {
    provider.script("a/1", async () => outcome);
    const attempt = await attemptOnce(fixture, deviceId);
    assert.deepEqual(attempt?.deviceState, { deviceId, state, isSuspect });
  }
});
