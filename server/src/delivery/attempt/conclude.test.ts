import assert from "node:assert/strict";
import test from "node:test";
import type { Target } from "#devices/device.ts";
import type { Outcome, Reason } from "#providers/provider.ts";
import { conclude, type ConcludeInput } from "./conclude.ts";
import type { NewNotification, PendingDevice } from "../delivery.ts";
import type { Attempt } from "../history.ts";
import type { Hold } from "../services/hold.ts";

const NOW = 1_000_000;
const HOUR_MS = 3_600_000;

const pendingDevice: PendingDevice = {
  deviceId: "d",
  attempts: 2,
  tries: 2,
  runAt: 0,
  code: null,
  detail: null,
  crashes: 0,
  waitsFor: null,
};

const target: Target = {
  deviceId: "d",
  accountId: "ann",
  provider: "webpush",
  address: { provider: "webpush", endpoint: "https://a.example/1", keys: { p256dh: "", auth: "" } },
  name: "Phone",
  registeredAt: 0,
  pausedAt: null,
  suspectAt: null,
};

function concludeWith(
  outcome: Outcome,
  overrides: Partial<Target> = {},
  more: Partial<ConcludeInput> & { expiresAt?: number } = {},
) {
  const { expiresAt = NOW + 24 * HOUR_MS, ...input } = more;
  const notification = { expiresAt } as NewNotification; // `conclude` reads only the expiry of the notification.
  const device = { ...target, ...overrides };
  const service = { service: "webpush a.example", epoch: "node 1", hold: null, isProbe: false };
  const timing = { now: NOW, random: 1, isExpiryInDoubt: () => false };
  const attempted = { outcome, target: device, pendingDevice, notification };
  return conclude({ ...attempted, ...service, ...timing, ...input });
}

const WAIT = { service: "webpush a.example", epoch: "node 1" };
const HOLD: Hold = {
  cause: "credentials",
  reason: { code: "provider_misconfigured", detail: null },
  since: NOW,
  until: NOW + 5 * 60_000,
  isForDevice: false,
};

const createReason = (code: Reason["code"]): Reason => ({ code, detail: "a.example" });
const createRetry = (
  code: Reason["code"],
  more: { afterMs?: number; isCounted?: boolean } = {},
): Outcome => ({
  kind: "retry",
  reason: createReason(code),
  afterMs: more.afterMs ?? null,
  isCounted: more.isCounted ?? true,
});

test("an acceptance ends the delivery and counts the attempt", () => {
  const conclusion = concludeWith({ kind: "accepted", receipt: null });
  assert.equal(conclusion.kind, "final");
  assert.ok(conclusion.kind === "final");
  const { state, code, attempts, at } = conclusion.result;
  assert.deepEqual(
    { state, code, attempts, at },
    { state: "accepted", code: "accepted", attempts: 3, at: NOW },
  );
});

test("a rejection ends the delivery with its reason", () => {
  const conclusion = concludeWith({ kind: "rejected", reason: createReason("payload_too_large") });
  assert.ok(conclusion.kind === "final");
  assert.equal(conclusion.result.state, "rejected");
  assert.equal(conclusion.result.code, "payload_too_large");
});

test("a device that is gone is retired as of the push service's timestamp", () => {
  const conclusion = concludeWith({
    kind: "gone",
    goneAt: 77,
    reason: createReason("device_gone"),
  });
  assert.ok(conclusion.kind === "retire");
  assert.equal(conclusion.asOf, 77);
  assert.equal(conclusion.result.state, "gone");
});

test("a transient failure is retried on schedule and counted", () => {
  const conclusion = concludeWith(createRetry("transient"));
  assert.ok(conclusion.kind === "pending");
  assert.deepEqual(conclusion.pending, {
    deviceId: "d",
    attempts: 3,
    tries: 3,
    runAt: NOW + 30_000,
    code: "transient",
    detail: "a.example",
    crashes: 0,
    waitsFor: null,
    history: { attempts: [createAttempt("retry", "transient", NOW + 30_000)], leftOut: 0 },
  });
});

function createAttempt(
  kind: Attempt["kind"],
  code: Attempt["code"],
  nextAt: number | null,
): Attempt {
  return { kind, at: NOW, code, detail: "a.example", nextAt };
}

test("an immediate acceptance has no history, and a later one has all attempts", () => {
  const accepted = { kind: "accepted", receipt: "id" } as const;
  const immediate = concludeWith(accepted);
  assert.ok(immediate.kind === "final");
  assert.equal(immediate.result.history, undefined);
  const first = createAttempt("retry", "transient", NOW);
  const history = { attempts: [first], leftOut: 0 };
  const later = concludeWith(accepted, {}, { pendingDevice: { ...pendingDevice, history } });
  assert.ok(later.kind === "final");
  const last = { ...createAttempt("accepted", "accepted", null), detail: "id" };
  assert.deepEqual(later.result.history, { attempts: [first, last], leftOut: 0 });
});

test("a result that differs from the last response keeps that response in its history", () => {
  const conclusion = concludeWith(createRetry("rate_limited"), {}, { expiresAt: NOW + 1_000 });
  assert.ok(conclusion.kind === "final");
  assert.equal(conclusion.result.code, "expired");
  const response = createAttempt("retry", "rate_limited", null);
  assert.deepEqual(conclusion.result.history?.attempts, [response]);
});

test("refused credentials are an entry of the history", () => {
  const refused = { kind: "refused", reason: createReason("provider_misconfigured") } as const;
  const conclusion = concludeWith(refused, {}, { hold: HOLD, random: 0 });
  assert.ok(conclusion.kind === "pending");
  const { history, runAt } = conclusion.pending;
  assert.deepEqual(history?.attempts, [createAttempt("refused", "provider_misconfigured", runAt)]);
});

test("a request that was never sent is not counted", () => {
  const conclusion = concludeWith(createRetry("unreachable", { isCounted: false }));
  assert.ok(conclusion.kind === "pending");
  const { attempts, tries, waitsFor } = conclusion.pending;
  assert.deepEqual([attempts, tries, waitsFor], [2, 3, null]);
});

test("refused credentials hold the device and count nothing against it", () => {
  const refused = { kind: "refused", reason: createReason("provider_misconfigured") } as const;
  const conclusion = concludeWith(refused, {}, { hold: HOLD, random: 0 });
  assert.ok(conclusion.kind === "pending");
  const { attempts, tries, runAt, waitsFor } = conclusion.pending;
  assert.deepEqual([attempts, tries, waitsFor], [2, 2, WAIT]);
  // The device waits until the release of the service makes it due.
  assert.equal(runAt, NOW + HOUR_MS);
});

test("a refused device of a healthy service is retried by itself", () => {
  const refused = { kind: "refused", reason: createReason("provider_misconfigured") } as const;
  const deviceHold = { ...HOLD, isForDevice: true };
  const conclusion = concludeWith(refused, {}, { hold: deviceHold, random: 0 });
  assert.ok(conclusion.kind === "pending");
  const { runAt, waitsFor } = conclusion.pending;
  assert.deepEqual([runAt, waitsFor], [NOW + 5 * 60_000, WAIT]);
});

test("a held device is kept until its notification expires", () => {
  const refused = { kind: "refused", reason: createReason("provider_misconfigured") } as const;
  const conclusion = concludeWith(refused, {}, { hold: HOLD, expiresAt: NOW + 60_000 });
  assert.ok(conclusion.kind === "pending");
  assert.equal(conclusion.pending.runAt, NOW + 60_000);
  const failing = { ...HOLD, cause: "failing" } as const;
  const failingService = concludeWith(
    createRetry("transient"),
    {},
    { hold: failing, expiresAt: NOW + 20_000 },
  );
  assert.ok(failingService.kind === "pending");
  assert.deepEqual(
    [failingService.pending.runAt, failingService.pending.waitsFor],
    [NOW + 20_000, WAIT],
  );
});

test("a failed probe does not count against its device", () => {
  const failing = { ...HOLD, cause: "failing" } as const;
  const conclusion = concludeWith(createRetry("transient"), {}, { hold: failing, isProbe: true });
  assert.ok(conclusion.kind === "pending");
  assert.deepEqual([conclusion.pending.attempts, conclusion.pending.tries], [2, 2]);
});

test("a probe that fails after its service was released is retried soon", () => {
  const conclusion = concludeWith(createRetry("transient"), {}, { hold: null, isProbe: true });
  assert.ok(conclusion.kind === "pending");
  const { attempts, tries, runAt, waitsFor } = conclusion.pending;
  assert.deepEqual([attempts, tries, waitsFor], [2, 3, null]);
  assert.ok(runAt <= NOW + 30_000, `in ${runAt - NOW} ms`);
});

test("a probe with a response about only its device is followed by the device's own retry", () => {
  const failing = { ...HOLD, cause: "failing" } as const;
  const conclusion = concludeWith(
    createRetry("rate_limited"),
    {},
    { hold: failing, isProbe: true },
  );
  assert.ok(conclusion.kind === "pending");
  assert.deepEqual([conclusion.pending.tries, conclusion.pending.waitsFor], [3, null]);
});

test("a device that is held by itself does not wait for a release of its service", () => {
  const deviceHold = { ...HOLD, isForDevice: true };
  const conclusion = concludeWith(createRetry("transient"), {}, { hold: deviceHold });
  assert.ok(conclusion.kind === "pending");
  assert.equal(conclusion.pending.waitsFor, null);
});

test("devices that wait for the end of a throttle are spread over a slow start", () => {
  const refused = { kind: "refused", reason: createReason("provider_misconfigured") } as const;
  const throttled = { ...HOLD, cause: "throttled" } as const;
  const getDelayMs = (random: number, hold: Hold = throttled) => {
    const conclusion = concludeWith(refused, {}, { hold, random });
    return conclusion.kind === "pending" ? conclusion.pending.runAt - NOW : null;
  };
  assert.deepEqual([getDelayMs(0), getDelayMs(1)], [5 * 60_000, 6 * 60_000]);
  // The throttle may already have ended.
  assert.equal(getDelayMs(0, { ...throttled, until: NOW - 1 }), 1_000);
});

test("a refused device of a service that is not held waits only briefly", () => {
  const refused = { kind: "refused", reason: createReason("provider_misconfigured") } as const;
  const conclusion = concludeWith(refused, {}, { hold: null });
  assert.ok(conclusion.kind === "pending");
  assert.ok(conclusion.pending.runAt <= NOW + 33_000);
});

test("a device whose retry comes after the expiry only by a doubted clock is kept", () => {
  const retryAfter = createRetry("rate_limited", { afterMs: HOUR_MS });
  const doubtedExpiry = { expiresAt: NOW + 60_000, isExpiryInDoubt: () => true };
  const conclusion = concludeWith(retryAfter, {}, doubtedExpiry);
  assert.ok(conclusion.kind === "pending");
  assert.equal(conclusion.pending.runAt, NOW + 60_000);
});

test("the last counted attempt ends the delivery with the last problem", () => {
  const withAttempts = (attempts: number) => ({ pendingDevice: { ...pendingDevice, attempts } });
  assert.equal(concludeWith(createRetry("transient"), {}, withAttempts(10)).kind, "pending");
  const conclusion = concludeWith(createRetry("transient"), {}, withAttempts(11));
  assert.ok(conclusion.kind === "final");
  const { state, code, detail, attempts } = conclusion.result;
  assert.deepEqual([state, code, attempts], ["failed", "gave_up", 12]);
  assert.equal(detail, "The push service did not respond properly (a.example).");
  const apple = concludeWith(createRetry("transient"), { provider: "apns" }, withAttempts(7));
  assert.equal(apple.kind, "final");
  const unreachable = createRetry("unreachable", { isCounted: false });
  assert.equal(concludeWith(unreachable, {}, withAttempts(11)).kind, "pending");
});

test("a device whose next attempt would come too late gets a last one before the expiry", () => {
  const tried = { ...pendingDevice, attempts: 3, tries: 3 };
  const alarm = { pendingDevice: tried, expiresAt: NOW + 16_000 };
  const conclusion = concludeWith(createRetry("transient"), {}, { ...alarm, random: 0.5 });
  assert.ok(conclusion.kind === "pending");
  const { runAt, attempts, waitsFor, history } = conclusion.pending;
  assert.deepEqual([runAt, attempts, waitsFor], [NOW + 11_000, 4, null]);
  assert.equal(history?.attempts.at(-1)?.nextAt, NOW + 11_000);
  const last = { now: runAt, pendingDevice: conclusion.pending, expiresAt: alarm.expiresAt };
  const end = concludeWith(createRetry("transient"), {}, last);
  assert.ok(end.kind === "final");
  assert.deepEqual([end.result.state, end.result.at], ["expired", runAt]);
});

test("a device whose retry would come after the expiry expires now with the last problem", () => {
  const retryAfter = createRetry("rate_limited", { afterMs: HOUR_MS });
  const conclusion = concludeWith(retryAfter, {}, { expiresAt: NOW + HOUR_MS });
  assert.ok(conclusion.kind === "final");
  assert.equal(conclusion.result.state, "expired");
  assert.match(conclusion.result.detail ?? "", /slow down/);
});

test("a suspect address is retried until the suspicion is an hour old", () => {
  const suspect = createRetry("suspect", { afterMs: HOUR_MS });
  assert.equal(concludeWith(suspect).kind, "pending");
  assert.equal(concludeWith(suspect, { suspectAt: NOW - HOUR_MS + 1 }).kind, "pending");
  const conclusion = concludeWith(suspect, { suspectAt: NOW - HOUR_MS });
  assert.ok(conclusion.kind === "retire");
  assert.equal(conclusion.asOf, NOW);
});
