import assert from "node:assert/strict";
import test from "node:test";
import type { Target } from "#devices/device.ts";
import type { Outcome, Reason } from "#providers/provider.ts";
import { conclude } from "./conclude.ts";
import type { NewNotification, PendingDevice } from "./delivery.ts";

const NOW = 1_000_000;
const HOUR = 3_600_000;

const before: PendingDevice = { deviceId: "d", attempts: 2, runAt: 0, code: null, detail: null };

const target: Target = {
  deviceId: "d",
  accountId: "ann",
  provider: "webpush",
  address: { provider: "webpush", endpoint: "https://a.example/1", keys: { p256dh: "", auth: "" } },
  name: "Phone",
  registeredAt: 0,
  pausedAt: null,
  suspectAt: null,
  position: "ann/d",
};

function after(outcome: Outcome, change: Partial<Target> = {}, expiresAt = NOW + 24 * HOUR) {
  const notification = { expiresAt } as NewNotification; // conclude reads its end alone.
  const device = { ...target, ...change };
  return conclude({ outcome, target: device, before, notification, now: NOW, random: 0.5 });
}

const because = (code: Reason["code"]): Reason => ({ code, detail: "a.example" });
const retry = (
  code: Reason["code"],
  more: { afterMs?: number; counted?: boolean } = {},
): Outcome => ({
  kind: "retry",
  reason: because(code),
  afterMs: more.afterMs ?? null,
  counted: more.counted ?? true,
});

test("an acceptance ends the delivery and counts the attempt", () => {
  const conclusion = after({ kind: "accepted", receipt: null });
  assert.equal(conclusion.kind, "final");
  assert.ok(conclusion.kind === "final");
  const { state, code, attempts, at } = conclusion.result;
  assert.deepEqual(
    { state, code, attempts, at },
    { state: "accepted", code: "accepted", attempts: 3, at: NOW },
  );
});

test("a rejection ends the delivery with its reason", () => {
  const conclusion = after({ kind: "rejected", reason: because("payload_too_large") });
  assert.ok(conclusion.kind === "final");
  assert.equal(conclusion.result.state, "rejected");
  assert.equal(conclusion.result.code, "payload_too_large");
});

test("an address that is gone is to be retired as of the push service's moment", () => {
  const conclusion = after({ kind: "gone", asOf: 77, reason: because("device_gone") });
  assert.ok(conclusion.kind === "retire");
  assert.equal(conclusion.asOf, 77);
  assert.equal(conclusion.result.state, "gone");
});

test("a failure that passes is tried again by the schedule, and counted", () => {
  const conclusion = after(retry("transient"));
  assert.ok(conclusion.kind === "pending");
  assert.deepEqual(conclusion.pending, {
    deviceId: "d",
    attempts: 3,
    runAt: NOW + 30_000,
    code: "transient",
    detail: "a.example",
  });
});

test("a request that never left us is not counted", () => {
  const conclusion = after(retry("unreachable", { counted: false }));
  assert.ok(conclusion.kind === "pending");
  assert.equal(conclusion.pending.attempts, 2);
});

test("refused credentials hold the device and count nothing against it", () => {
  const conclusion = after({ kind: "refused", reason: because("provider_misconfigured") });
  assert.ok(conclusion.kind === "pending");
  assert.equal(conclusion.pending.attempts, 2);
  assert.equal(conclusion.pending.runAt, NOW + 5 * 60_000);
});

test("who would be tried only after the end expires now, and is told the last problem", () => {
  const conclusion = after(retry("rate_limited", { afterMs: HOUR }), {}, NOW + HOUR);
  assert.ok(conclusion.kind === "final");
  assert.equal(conclusion.result.state, "expired");
  assert.match(conclusion.result.detail ?? "", /slow down/);
});

test("a doubted address is tried again, until the doubt is an hour old", () => {
  const doubt = retry("suspect", { afterMs: HOUR });
  assert.equal(after(doubt).kind, "pending");
  assert.equal(after(doubt, { suspectAt: NOW - HOUR + 1 }).kind, "pending");
  const conclusion = after(doubt, { suspectAt: NOW - HOUR });
  assert.ok(conclusion.kind === "retire");
  assert.equal(conclusion.asOf, NOW);
});
