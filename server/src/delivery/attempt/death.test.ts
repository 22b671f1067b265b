import assert from "node:assert/strict";
import test from "node:test";
import { notificationTo } from "../../../test/support/notifications.ts";
import { TestClock } from "../../../test/support/room.ts";
import { untried } from "../delivery.ts";
import { concludeDeath } from "./death.ts";

const clock = new TestClock();
const { now } = clock;
const notification = notificationTo({ now, newId: () => "n" }, "ann");

function crash(change: { readonly deaths?: number; readonly expiresAt?: number; random?: number }) {
  const { deaths = 0, expiresAt = notification.expiresAt, random = 0 } = change;
  const [untriedDevice] = untried(["d"], 0);
  assert.ok(untriedDevice !== undefined);
  const before = { ...untriedDevice, deaths, waitsFor: { service: "fcm", epoch: "node 1" } };
  const input = { before, provider: "fcm", notification: { ...notification, expiresAt } } as const;
  return concludeDeath({ now, random: () => random }, input);
}

test("a device during whose attempt the process died is retried after the others", () => {
  const report = crash({ random: 1 });
  assert.ok(report.kind === "pending");
  const { attempts, tries, deaths, runAt, code, waitsFor, history } = report.pending;
  assert.deepEqual([attempts, tries, deaths, code, waitsFor], [1, 1, 1, "crashed", null]);
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
  const report = crash({ deaths: 1 });
  assert.ok(report.kind === "final");
  const { state, code, attempts, history } = report.result;
  assert.deepEqual([state, code, attempts], ["failed", "crashed", 1]);
  assert.equal(history?.attempts.at(-1)?.nextAt, null);
});
