import assert from "node:assert/strict";
import test from "node:test";
import type { Target } from "#devices/device.ts";
import type { NewNotification, PendingDevice } from "../delivery.ts";
import { triage } from "./triage.ts";
import { NOTHING_FETCHED } from "./fetched.ts";

const NOW = 1_000_000;

function createTarget(deviceId: string, overrides: Partial<Target> = {}): Target {
  const address = { provider: "webpush", endpoint: "", keys: { p256dh: "", auth: "" } } as const;
  const base = { accountId: "ann", provider: "webpush", address, name: deviceId } as const;
  const times = { registeredAt: 0, pausedAt: null, suspectAt: null };
  return { deviceId, ...base, ...times, ...overrides };
}

function createPending(deviceId: string, runAt = 0): PendingDevice {
  return {
    deviceId,
    attempts: 0,
    tries: 0,
    runAt,
    code: null,
    detail: null,
    crashes: 0,
    waitsFor: null,
  };
}

function triageAt(
  pending: readonly PendingDevice[],
  targets: readonly Target[],
  {
    expiresAt = NOW + 60_000,
    isExpiryInDoubt = false,
    interaction = null,
  }: {
    expiresAt?: number;
    isExpiryInDoubt?: boolean;
    interaction?: NewNotification["interaction"];
  } = {},
) {
  return triage({
    // `triage` reads only these fields of the notification.
    notification: { expiresAt, interaction } as NewNotification,
    pending,
    targets: new Map(targets.map((target) => [target.deviceId, target])),
    providers: new Set(["webpush", "stream"]),
    fetched: NOTHING_FETCHED,
    mayRetry: ({ service }) => service !== "held",
    now: NOW,
    isExpiryInDoubt,
  });
}

test("a device that is due is tried", () => {
  const { dueDevices, waiting, results } = triageAt([createPending("a")], [createTarget("a")]);
  assert.deepEqual(
    dueDevices.map(({ target }) => target.deviceId),
    ["a"],
  );
  assert.deepEqual([waiting, results], [[], []]);
});

test("a device that is not due waits", () => {
  const { dueDevices, waiting } = triageAt(
    [createPending("a", NOW + 1), createPending("b", NOW)],
    [createTarget("a"), createTarget("b")],
  );
  assert.deepEqual(
    waiting.map(({ deviceId }) => deviceId),
    ["a"],
  );
  assert.deepEqual(
    dueDevices.map(({ pendingDevice }) => pendingDevice.deviceId),
    ["b"],
  );
});

test("a device that waits for a recovered service is tried", () => {
  const createWaiting = (deviceId: string, waitsFor: string) => ({
    ...createPending(deviceId, NOW + 1),
    waitsFor: { service: waitsFor, epoch: "node 1" },
  });
  const pending = [createWaiting("a", "recovered"), createWaiting("b", "held")];
  const { dueDevices, waiting } = triageAt(pending, [createTarget("a"), createTarget("b")]);
  assert.deepEqual(
    dueDevices.map(({ pendingDevice }) => pendingDevice.deviceId),
    ["a"],
  );
  assert.deepEqual(
    waiting.map(({ deviceId }) => deviceId),
    ["b"],
  );
});

test("a device that left the audience is cancelled, even during a wait", () => {
  const { results, waiting } = triageAt([createPending("a", NOW + 1)], []);
  assert.deepEqual(
    results.map(({ state }) => state),
    ["cancelled"],
  );
  assert.deepEqual(waiting, []);
});

test("no retry begins with less than a second left, and no attempt after the expiry", () => {
  const failed = { ...createPending("a"), code: "transient" as const };
  const tooLate = triageAt([failed], [createTarget("a")], { expiresAt: NOW + 999 });
  assert.deepEqual(
    tooLate.results.map(({ state }) => state),
    ["expired"],
  );
  assert.equal(
    triageAt([failed], [createTarget("a")], { expiresAt: NOW + 1_000 }).dueDevices.length,
    1,
  );
  assert.equal(
    triageAt([createPending("a")], [createTarget("a")], { expiresAt: NOW + 1 }).dueDevices.length,
    1,
  );
  assert.equal(
    triageAt([createPending("a")], [createTarget("a")], { expiresAt: NOW - 1 }).results.length,
    1,
  );
});

test("a paused device and one without a provider are skipped with a reason", () => {
  const targets = [createTarget("a", { pausedAt: 1 }), createTarget("b", { provider: "apns" })];
  const { results } = triageAt([createPending("a"), createPending("b")], targets);
  assert.deepEqual(
    results.map(({ state, code }) => [state, code]),
    [
      ["skipped", "paused"],
      ["skipped", "provider_not_configured"],
    ],
  );
});

test("a notification that has expired only by a doubted clock neither ends nor is sent", () => {
  const doubtedLifetime = { expiresAt: NOW - 1, isExpiryInDoubt: true };
  const { dueDevices, waiting, results } = triageAt(
    [createPending("a")],
    [createTarget("a")],
    doubtedLifetime,
  );
  assert.deepEqual([dueDevices.length, waiting.length, results.length], [0, 1, 0]);
});

test("Safari gets no push about an acknowledgement, because it would show a second notification", () => {
  const toEndpoint = (endpoint: string) =>
    ({ provider: "webpush", endpoint, keys: { p256dh: "", auth: "" } }) as const;
  const targets = [
    createTarget("safari", { address: toEndpoint("https://web.push.apple.com/1") }),
    createTarget("firefox", { address: toEndpoint("https://push.example.org/1") }),
  ];
  const pending = [createPending("safari"), createPending("firefox")];
  const triageCause = (cause: "acknowledgement" | "resolution") => {
    const incident = {
      incidentId: "i",
      promptId: null,
      actions: [],
      allowsText: false,
      isQuiet: false,
    };
    const { results, dueDevices } = triageAt(pending, targets, {
      interaction: { ...incident, cause },
    });
    return [results.map(({ code }) => code), dueDevices.length];
  };
  assert.deepEqual(triageCause("acknowledgement"), [["not_replaceable"], 1]);
  assert.deepEqual(triageCause("resolution"), [[], 2]);
});

test("an app is owed its message until the expiry, because it needs no time for a retry", () => {
  const address = { provider: "stream", client: "ntfy", deviceId: "a" } as const;
  const app = createTarget("a", { provider: "stream", address });
  const pending = { ...createPending("a"), code: "app_not_connected" } as const;
  const { dueDevices, results } = triageAt([pending], [app], { expiresAt: NOW + 1 });
  assert.deepEqual([dueDevices.length, results], [1, []]);
  const ended = triageAt([pending], [app], { expiresAt: NOW });
  assert.equal(ended.results[0]?.state, "expired");
});
