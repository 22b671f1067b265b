import assert from "node:assert/strict";
import test from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  addBrowserDevice,
  delayResponse,
  createLease,
  queueAttempts,
  createAttemptFixture,
  attemptOnce,
} from "../../../test/support/attempt-fixture.ts";
import { createNotification } from "../../../test/support/notifications.ts";
import { ACCEPTED, waitForAbort } from "../../../test/support/scripted-provider.ts";
import { refreshDevice } from "#devices/store/devices.ts";
import type { Message, Outcome } from "#providers/provider.ts";
import { BULK_LANE } from "../delivery.ts";

const MINUTE_MS = 60_000;
const REFUSED: Outcome = {
  kind: "refused",
  reason: { code: "provider_misconfigured", detail: null },
};
const AMBIGUOUS: Outcome = {
  kind: "retry",
  reason: { code: "ambiguous", detail: null },
  afterMs: null,
  isCounted: true,
};

test("a probe that was not sent leaves its service held, and the next message probes", async (t) => {
  const fixture = await createAttemptFixture(t);
  const { context, provider, deps } = fixture;
  const first = await addBrowserDevice(fixture, "a/1");
  const second = await addBrowserDevice(fixture, "a/2");
  provider.script("a/1", async () => REFUSED);
  await attemptOnce(fixture, first);
  context.clock.advance(5 * MINUTE_MS);
  const heldLease = createLease(fixture);
  provider.scriptAdmission("a/1", async () => heldLease.lose());
  assert.equal(await attemptOnce(fixture, first, { heldLease }), null);
  assert.deepEqual([provider.attempts.length, provider.admittedCount], [1, 0]);
  assert.deepEqual(deps.breakers.listHeld(), [{ service: "a", cause: "credentials" }]);
  await attemptOnce(fixture, second);
  assert.equal(provider.attempts.length, 2);
  assert.deepEqual(deps.breakers.listHeld(), []);
});

test("an attempt that was aborted with its lease does not affect the service's breaker", async (t) => {
  const fixture = await createAttemptFixture(t);
  const { provider, deps } = fixture;
  const deviceId = await addBrowserDevice(fixture, "a/1");
  for (let count = 0; count < 5; count += 1) {
    const heldLease = createLease(fixture);
    provider.script("a/1", async (_message, signal) => {
      const aborted = waitForAbort(signal);
      heldLease.lose();
      await aborted;
      return AMBIGUOUS;
    });
    const attempt = await attemptOnce(fixture, deviceId, { heldLease });
    assert.equal(attempt?.report.kind, "pending");
  }
  assert.deepEqual(deps.breakers.listHeld(), []);
  provider.script("a/1", async () => AMBIGUOUS);
  for (let count = 0; count < 5; count += 1) await attemptOnce(fixture, deviceId);
  assert.deepEqual(deps.breakers.listHeld(), [{ service: "a", cause: "failing" }]);
});

test("a message for a device with four messages under way is postponed, and the four are sent", async (t) => {
  const fixture = await createAttemptFixture(t);
  const { context } = fixture;
  const deviceId = await addBrowserDevice(fixture, "a/1");
  const { requestStarted, respond } = delayResponse(fixture, "a/1");
  let allowedCount = 0;
  const allowNext = () => (allowedCount += 1);
  const first = attemptOnce(fixture, deviceId, { allowNext });
  await requestStarted;
  // `allowNext` is called although the attempt continues, because the attempt has its permit.
  assert.equal(allowedCount, 1);
  const queuedAttempts = [first, ...(await queueAttempts(fixture, deviceId, 3))];
  context.clock.advance(3_000);
  const attempt = await attemptOnce(fixture, deviceId);
  assert.ok(attempt?.report.kind === "pending");
  // From half up to one and a half times the duration of the running attempt, rounded up to a second.
  const waitMs = attempt.report.pending.runAt - context.now();
  assert.ok(waitMs >= 1_500 && waitMs <= 5_500, `${waitMs} ms`);
  assert.equal(attempt.deviceState, null);
  respond();
  const reports = (await Promise.all(queuedAttempts)).map((one) => one?.report.kind);
  assert.deepEqual(reports, ["final", "final", "final", "final"]);
});

test(
  "a message for a device that takes messages quickly is queued if it is expected to be sent within two seconds",
  { timeout: 10_000 },
  async (t) => {
    const fixture = await createAttemptFixture(t);
    const { context, provider } = fixture;
    const deviceId = await addBrowserDevice(fixture, "a/1");
    provider.script("a/1", async () => {
      context.clock.advance(100);
      return ACCEPTED;
    });
    await attemptOnce(fixture, deviceId);
    const { requestStarted, respond } = delayResponse(fixture, "a/1");
    const first = attemptOnce(fixture, deviceId);
    await requestStarted;
    // Twenty messages of 100 ms are expected to take 2 seconds.
    const queuedAttempts = [first, ...(await queueAttempts(fixture, deviceId, 19))];
    context.clock.advance(101);
    assert.equal((await attemptOnce(fixture, deviceId))?.report.kind, "pending");
    respond();
    const reports = (await Promise.all(queuedAttempts)).map((one) => one?.report.kind);
    assert.deepEqual(reports, Array(20).fill("final"));
  },
);

test("under a lease that is about to end, no permit is requested and no mark is written", async (t) => {
  const fixture = await createAttemptFixture(t);
  const { provider } = fixture;
  const deviceId = await addBrowserDevice(fixture, "a/1");
  const heldLease = createLease(fixture, 4_999);
  const writeMark = () => assert.fail("It is marked.");
  assert.equal(await attemptOnce(fixture, deviceId, { heldLease, writeMark }), null);
  assert.deepEqual([provider.requestedEndpoints, provider.attempts], [[], []]);
});

test("an attempt that cannot be marked is not made", async (t) => {
  const fixture = await createAttemptFixture(t);
  const deviceId = await addBrowserDevice(fixture, "a/1");
  assert.equal(await attemptOnce(fixture, deviceId, { writeMark: async () => false }), null);
  assert.deepEqual(fixture.provider.attempts, []);
  const attempt = await attemptOnce(fixture, deviceId, { writeMark: async () => true });
  assert.equal(attempt?.report.kind, "final");
});

test("a failing service is probed early by a new message, but not by a waiting one", async (t) => {
  const fixture = await createAttemptFixture(t);
  const { provider, deps } = fixture;
  const deviceId = await addBrowserDevice(fixture, "a/1");
  provider.script("a/1", async () => AMBIGUOUS);
  for (let count = 0; count < 5; count += 1) await attemptOnce(fixture, deviceId);
  assert.equal(deps.breakers.listHeld().length, 1);
  const waiting = await attemptOnce(fixture, deviceId, { pendingDevice: { code: "transient" } });
  assert.equal(provider.attempts.length, 5);
  assert.ok(waiting?.report.kind === "pending");
  assert.equal(waiting.report.pending.waitsFor?.service, "a");
  provider.script("a/1", async () => ACCEPTED);
  assert.equal((await attemptOnce(fixture, deviceId))?.report.kind, "final");
  assert.equal(provider.attempts.length, 6);
});

test("a bulk message is admitted and paced as bulk, even after a normal message of its notification", async (t) => {
  const fixture = await createAttemptFixture(t);
  const { context, accountId, provider } = fixture;
  const deviceId = await addBrowserDevice(fixture, "a/1");
  const bulkFlags: boolean[] = [];
  const messages: Message[] = [];
  provider.scriptAdmission("a/1", async ({ isBulk }) => bulkFlags.push(isBulk));
  provider.script("a/1", async (message) => {
    messages.push(message);
    return ACCEPTED;
  });
  const notification = createNotification(context, accountId);
  await attemptOnce(fixture, deviceId, { notification });
  await attemptOnce(fixture, deviceId, { notification, lane: BULK_LANE });
  await attemptOnce(fixture, deviceId, { notification, lane: BULK_LANE });
  assert.deepEqual(bulkFlags, [false, true, true]);
  assert.deepEqual(
    messages.map(({ waitForPacer }) => waitForPacer !== undefined),
    [false, true, true],
  );
  // The message is encoded once for all devices of the lane.
  assert.equal(messages[1], messages[2]);
  await messages[1]?.waitForPacer?.();
});

test("an attempt that is not bulk slows bulk down", async (t) => {
  const fixture = await createAttemptFixture(t);
  const { bulkPacer } = fixture.deps;
  const deviceId = await addBrowserDevice(fixture, "a/1");
  await attemptOnce(fixture, deviceId, { lane: BULK_LANE });
  await bulkPacer.waitToBegin();
  await attemptOnce(fixture, deviceId);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let hasBegun = false;
  const begun = bulkPacer.waitToBegin().then(() => (hasBegun = true));
  await nextTurn();
  assert.equal(hasBegun, false);
  t.mock.timers.tick(4);
  await begun;
});

test("a device that changed its address during the wait for a permit gets the message there", async (t) => {
  const fixture = await createAttemptFixture(t);
  const { context, accountId, provider } = fixture;
  const deviceId = await addBrowserDevice(fixture, "a/1");
  const keys = { p256dh: "new", auth: "new" };
  provider.scriptAdmission("a/1", async () => {
    const address = { provider: "webpush", endpoint: "a/1", keys } as const;
    await refreshDevice(context, { accountId, platform: "web", address, name: null });
    context.clock.advance(1_000);
  });
  const sentKeys: unknown[] = [];
  const send = provider.send.bind(provider);
  provider.send = async (message, address, signal) => {
    sentKeys.push(address.provider === "webpush" ? address.keys : null);
    return send(message, address, signal);
  };
  await attemptOnce(fixture, deviceId);
  assert.deepEqual(sentKeys, [keys]);
});
