import assert from "node:assert/strict";
import test from "node:test";
import { paceToMs, toPace } from "#delivery/result/activity.ts";
import { listLastDays, summarizeActivity, type ActivityRow } from "./summary.ts";

const ACCEPTED = { provider: "apns", state: "accepted", code: "accepted" } as const;

function createRow(day: number, count: number, overrides: Partial<ActivityRow> = {}): ActivityRow {
  return { ...ACCEPTED, day, count, pace: toPace(100), ...overrides };
}

test("days without deliveries are listed, and the counts of one day add up", () => {
  const goneResult = { state: "gone", code: "device_gone", pace: 0 } as const;
  const pausedResult = { state: "skipped", code: "paused", pace: 0, provider: "fcm" } as const;
  const rows = [
    createRow(10, 3),
    createRow(10, 2, { provider: "fcm" }),
    createRow(12, 1, goneResult),
    createRow(12, 4, pausedResult),
  ];
  const sent = [10, 11, 12].map((day) => ({ day, count: day }));
  const { days, providers, errors } = summarizeActivity({ rows, sent });
  assert.deepEqual(days, [
    { day: "1970-01-11", sent: 10, delivered: 5, failed: 0, skipped: 0 },
    { day: "1970-01-12", sent: 11, delivered: 0, failed: 0, skipped: 0 },
    { day: "1970-01-13", sent: 12, delivered: 0, failed: 1, skipped: 4 },
  ]);
  assert.deepEqual(providers, [
    { provider: "apns", delivered: 3, failed: 1, skipped: 0 },
    { provider: "fcm", delivered: 2, failed: 0, skipped: 4 },
  ]);
  assert.deepEqual(errors, [{ code: "device_gone", count: 1 }]);
});

test("hand-over times are reported as the median and the 95th percentile", () => {
  const rows = [
    createRow(1, 90),
    createRow(1, 8, { pace: toPace(5_000) }),
    createRow(1, 2, { pace: toPace(90_000) }),
  ];
  const { handOverMs } = summarizeActivity({ rows, sent: [] });
  assert.ok(handOverMs !== null);
  assert.ok(Math.abs(handOverMs.p50 - 100) <= 20, `${handOverMs.p50}`);
  assert.ok(Math.abs(handOverMs.p95 - 5_000) <= 1_000, `${handOverMs.p95}`);
  assert.equal(summarizeActivity({ rows: [], sent: [] }).handOverMs, null);
});

test("a pace is accurate to a quarter, from a millisecond to a month", () => {
  for (let ms = 1; ms < 2_592_000_000; ms *= 1.7) {
    const share = paceToMs(toPace(ms)) / ms;
    assert.ok(share > 0.8 && share < 1.25, `${ms}: ${share}`);
  }
});

test("the last days end today", () => {
  assert.deepEqual(listLastDays(86_400_000 * 20 + 5, 3), [18, 19, 20]);
});
