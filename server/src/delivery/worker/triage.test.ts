import assert from "node:assert/strict";
import test from "node:test";
import type { Target } from "#devices/device.ts";
import type { NewNotification, PendingDevice } from "../delivery.ts";
import { triage } from "./triage.ts";

const NOW = 1_000_000;

function device(deviceId: string, change: Partial<Target> = {}): Target {
  const address = { provider: "webpush", endpoint: "", keys: { p256dh: "", auth: "" } } as const;
  const base = { accountId: "ann", provider: "webpush", address, name: deviceId } as const;
  const times = { registeredAt: 0, pausedAt: null, suspectAt: null };
  return { deviceId, ...base, ...times, position: `ann/${deviceId}`, ...change };
}

function pendingDevice(deviceId: string, runAt = 0): PendingDevice {
  return {
    deviceId,
    attempts: 0,
    tries: 0,
    runAt,
    code: null,
    detail: null,
    deaths: 0,
    waitsFor: null,
  };
}

function triageAt(
  pending: readonly PendingDevice[],
  targets: readonly Target[],
  { expiresAt = NOW + 60_000, isInDoubt = false } = {},
) {
  return triage({
    notification: { expiresAt } as NewNotification, // triage reads only its expiry.
    pending,
    targets: new Map(targets.map((target) => [target.deviceId, target])),
    providers: new Set(["webpush"]),
    mayRetry: ({ service }) => service !== "held",
    now: NOW,
    isInDoubt,
  });
}

test("a device that is due is tried", () => {
  const { attempts, waiting, results } = triageAt([pendingDevice("a")], [device("a")]);
  assert.deepEqual(
    attempts.map(({ target }) => target.deviceId),
    ["a"],
  );
  assert.deepEqual([waiting, results], [[], []]);
});

test("a device that is not due waits", () => {
  const { attempts, waiting } = triageAt(
    [pendingDevice("a", NOW + 1), pendingDevice("b", NOW)],
    [device("a"), device("b")],
  );
  assert.deepEqual(
    waiting.map(({ deviceId }) => deviceId),
    ["a"],
  );
  assert.deepEqual(
    attempts.map(({ before }) => before.deviceId),
    ["b"],
  );
});

test("a device that waits for a recovered service is tried", () => {
  const waitingFor = (deviceId: string, waitsFor: string) => ({
    ...pendingDevice(deviceId, NOW + 1),
    waitsFor: { service: waitsFor, epoch: "node 1" },
  });
  const pending = [waitingFor("a", "back"), waitingFor("b", "held")];
  const { attempts, waiting } = triageAt(pending, [device("a"), device("b")]);
  assert.deepEqual(
    attempts.map(({ before }) => before.deviceId),
    ["a"],
  );
  assert.deepEqual(
    waiting.map(({ deviceId }) => deviceId),
    ["b"],
  );
});

test("a device that left the audience is cancelled, even during a wait", () => {
  const { results, waiting } = triageAt([pendingDevice("a", NOW + 1)], []);
  assert.deepEqual(
    results.map(({ state }) => state),
    ["cancelled"],
  );
  assert.deepEqual(waiting, []);
});

test("no retry begins with less than a second left, and no attempt after the expiry", () => {
  const failed = { ...pendingDevice("a"), code: "transient" as const };
  const soon = triageAt([failed], [device("a")], { expiresAt: NOW + 999 });
  assert.deepEqual(
    soon.results.map(({ state }) => state),
    ["expired"],
  );
  assert.equal(triageAt([failed], [device("a")], { expiresAt: NOW + 1_000 }).attempts.length, 1);
  assert.equal(
    triageAt([pendingDevice("a")], [device("a")], { expiresAt: NOW + 1 }).attempts.length,
    1,
  );
  assert.equal(
    triageAt([pendingDevice("a")], [device("a")], { expiresAt: NOW - 1 }).results.length,
    1,
  );
});

test("a paused device and one without a provider are skipped with a reason", () => {
  const targets = [device("a", { pausedAt: 1 }), device("b", { provider: "apns" })];
  const { results } = triageAt([pendingDevice("a"), pendingDevice("b")], targets);
  assert.deepEqual(
    results.map(({ state, code }) => [state, code]),
    [
      ["skipped", "paused"],
      ["skipped", "provider_not_configured"],
    ],
  );
});

test("a notification that has expired only by a doubted clock neither ends nor is sent", () => {
  const doubted = { expiresAt: NOW - 1, isInDoubt: true };
  const { attempts, waiting, results } = triageAt([pendingDevice("a")], [device("a")], doubted);
  assert.deepEqual([attempts.length, waiting.length, results.length], [0, 1, 0]);
});
