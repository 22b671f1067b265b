import assert from "node:assert/strict";
import test from "node:test";
import { createNotification } from "../../../test/support/notifications.ts";
import { TestClock } from "../../../test/support/test-clock.ts";
import { createPendingDevices } from "../delivery.ts";
import { concludeCrash } from "./conclude-crash.ts";

const clock = new TestClock();
const { now } = clock;
const notification = createNotification({ now, newId: () => "n" }, "ann");

function crash(change: {
  readonly crashes?: number;
  readonly expiresAt?: number;
  random?: number;
}) {
  const { crashes = 0, expiresAt = notification.expiresAt, random = 0 } = change;
  const [untriedDevice] = createPendingDevices(["d"], 0);
  assert.ok(untriedDevice !== undefined);
  const pendingDevice = {
    ...untriedDevice,
    crashes,
    waitsFor: { service: "fcm", epoch: "node 1" },
  };
  const input = {
    pendingDevice,
    provider: "fcm",
    notification: { ...notification, expiresAt },
  } as const;
  return concludeCrash({ now, random: () => random }, input);
}

test("a device that was being tried when the process died is retried after the others", () => {
  const report = crash({ random: 1 });
  assert.ok(report.kind === "pending");
  const { attempts, tries, crashes, runAt, code, waitsFor, history } = report.pending;
  assert.deepEqual([attempts, tries, crashes, code, waitsFor], [1, 1, 1, "crashed", null]);
  assert.equal(runAt, now() + 12_000);
  assert.deepEqual(history?.attempts, [
    { kind: "retry", at: now(), code: "crashed", detail: null, nextAt: runAt },
  ]);
  const soonest = crash({ random: 0 });
  assert.equal(soonest.kind === "pending" && soonest.pending.runAt, now() + 10_000);
});

test("a device that waits after a crash is retried at the expiry at the latest", () => {
  const report = crash({ expiresAt: now() + 4_000 });
  assert.equal(report.kind === "pending" && report.pending.runAt, now() + 4_000);
});

test("the second crash in a row at one device ends its delivery", () => {
  const report = crash({ crashes: 1 });
  assert.ok(report.kind === "final");
  const { state, code, attempts, history } = report.result;
  assert.deepEqual([state, code, attempts], ["failed", "crashed", 1]);
  assert.equal(history?.attempts.at(-1)?.nextAt, null);
});
