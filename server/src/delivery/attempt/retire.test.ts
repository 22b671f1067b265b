import assert from "node:assert/strict";
import test from "node:test";
import {
  addBrowserDevice,
  createAttemptFixture,
  attemptOnce,
} from "../../../test/support/attempt-fixture.ts";
import { OPERATOR } from "#audit/event.ts";
import { listAudienceDevices } from "#devices/audiences/store/audience-devices.ts";
import { removeDevice } from "#devices/store/retirement.ts";

const reason = { code: "device_gone", detail: "410" } as const;

test("a device whose address is gone is retired, and its retirement is reported", async (t) => {
  const fixture = await createAttemptFixture(t);
  const { context, accountId, provider, retiredDeviceIds } = fixture;
  const deviceId = await addBrowserDevice(fixture, "a/1");
  provider.script("a/1", async () => ({ kind: "gone", goneAt: context.now(), reason }));
  const attempt = await attemptOnce(fixture, deviceId);
  assert.ok(attempt?.report.kind === "final");
  assert.equal(attempt.report.result.state, "gone");
  assert.deepEqual(retiredDeviceIds, [deviceId]);
  const remaining = await listAudienceDevices(
    context,
    { kind: "account", accountId },
    { limit: 1 },
  );
  assert.deepEqual(remaining, []);
});

test("a device that is removed during its attempt is gone, and its retirement is not reported again", async (t) => {
  const fixture = await createAttemptFixture(t);
  const { context, accountId, provider, retiredDeviceIds } = fixture;
  const deviceId = await addBrowserDevice(fixture, "a/1");
  provider.script("a/1", async () => {
    await removeDevice(context, { accountId, deviceId, actor: OPERATOR });
    return { kind: "gone", goneAt: context.now(), reason };
  });
  const attempt = await attemptOnce(fixture, deviceId);
  assert.ok(attempt?.report.kind === "final");
  assert.deepEqual([attempt.report.result.state, retiredDeviceIds], ["gone", []]);
});

test("a device that registered again is retried immediately, then with a delay, and keeps its history", async (t) => {
  const fixture = await createAttemptFixture(t);
  const { context, provider } = fixture;
  const deviceId = await addBrowserDevice(fixture, "a/1");
  provider.script("a/1", async () => ({ kind: "gone", goneAt: 0, reason }));
  const attempt = await attemptOnce(fixture, deviceId);
  assert.ok(attempt?.report.kind === "pending");
  const { attempts, tries, code, runAt, history } = attempt.report.pending;
  assert.deepEqual([attempts, tries, code, runAt], [1, 1, "transient", context.now()]);
  const firstAttempt = { kind: "gone", at: context.now(), code: "device_gone", detail: "410" };
  assert.deepEqual(history?.attempts, [{ ...firstAttempt, nextAt: runAt }]);
  const second = await attemptOnce(fixture, deviceId, { pendingDevice: attempt.report.pending });
  assert.ok(second?.report.kind === "pending");
  assert.ok(second.report.pending.runAt > context.now());
  assert.equal(second.report.pending.history?.attempts.length, 2);
});
