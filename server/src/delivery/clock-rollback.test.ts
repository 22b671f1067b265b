import assert from "node:assert/strict";
import test from "node:test";
import {
  accept,
  addDevice,
  startBench,
  statesOf,
  workOnce,
} from "../../test/support/delivery-bench.ts";
import { unavailableError } from "../../test/support/database.ts";
import { ACCEPTED } from "../../test/support/scripted-provider.ts";
import type { Outcome } from "#providers/provider.ts";
import { findRecorded } from "#notifications/log/store.ts";
import { notificationTo } from "../../test/support/notifications.ts";
import { untried, type LeasedJob, type PendingDevice } from "./delivery.ts";
import { ClockRollback } from "./clock-rollback.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const AGAIN: Outcome = {
  kind: "retry",
  reason: { code: "transient", detail: "503" },
  afterMs: 40 * MINUTE,
  counted: true,
};

/** Returns a device that failed at a moment and waits for another one. */
function failed(at: number, nextAt: number): PendingDevice {
  const [device] = untried(["phone"], nextAt);
  assert.ok(device !== undefined);
  const attempt = { kind: "retry", at, code: "transient", detail: null, nextAt } as const;
  return { ...device, code: "transient", history: { attempts: [attempt], leftOut: 0 } };
}

/** Returns a clock that showed these moments one after the other. */
function clockThatShowed(...moments: readonly number[]) {
  let shown = 0;
  const clock = new ClockRollback({ now: () => shown, elapsed: () => 0 });
  const show = (moment: number) => {
    shown = moment;
    clock.now();
  };
  for (const moment of moments) show(moment);
  return { clock, show };
}

function corrected(clock: ClockRollback, device: PendingDevice): PendingDevice {
  const { work } = clock.correct(jobOf(device));
  assert.ok(work.kind === "devices");
  return work.pending[0] ?? assert.fail("the device is left out");
}

function momentOf(clock: ClockRollback, device: PendingDevice): number {
  return corrected(clock, device).runAt;
}

function jobOf(device: PendingDevice): LeasedJob {
  const notification = notificationTo({ newId: () => "1", now: () => 0 }, "ann");
  const lease = { jobId: "job", epoch: 1, until: 0 };
  const work = { kind: "devices", pending: [device] } as const;
  return { lease, lane: 0, notification, work, crashes: 0, suspect: null };
}

test("a clock is set back where it shows clearly less than before", () => {
  const { clock, show } = clockThatShowed(DAY, DAY - 999);
  assert.equal(clock.isNoticed(), false);
  show(DAY - 999 - HOUR);
  assert.equal(clock.isNoticed(), true);
});

test("a clock that showed more in the process before was set back", () => {
  const clocks = { now: () => DAY, elapsed: () => 0 };
  assert.equal(new ClockRollback(clocks, DAY + 1_001).isNoticed(), true);
  assert.equal(new ClockRollback(clocks, DAY + 1_000).isNoticed(), false);
});

test("a device that failed just when it was noticed waits as named", () => {
  const { clock } = clockThatShowed(DAY, HOUR);
  assert.equal(momentOf(clock, failed(HOUR, 2 * HOUR)), 2 * HOUR);
});

test("a device that failed in a time that has not come yet is due, and once alone", () => {
  const { clock, show } = clockThatShowed(DAY - HOUR);
  const found = corrected(clock, failed(DAY, DAY + HOUR));
  assert.equal(found.runAt, DAY - HOUR);
  assert.equal(found.history?.attempts[0]?.at, DAY - HOUR);
  show(DAY);
  assert.equal(momentOf(clock, failed(DAY, DAY + HOUR)), DAY + HOUR);
});

test("a wait that began before the clock was set back lasts as long as it was to, however often it is corrected", () => {
  const now = DAY - 10 * MINUTE;
  const { clock, show } = clockThatShowed(DAY, now);
  const device = failed(now - 5 * MINUTE, now + 45 * MINUTE);
  const moment = momentOf(clock, device);
  assert.equal(moment, now + 35 * MINUTE);
  assert.equal(momentOf(clock, { ...device, runAt: now + 35 * MINUTE }), moment);
  show(now + 1);
  assert.equal(momentOf(clock, failed(now + 1, now + 30 * MINUTE)), now + 30 * MINUTE);
});

test("a device that was never tried waits for a moment at most", () => {
  const [device] = untried(["phone"], DAY);
  assert.ok(device !== undefined);
  assert.equal(momentOf(clockThatShowed(DAY - HOUR).clock, device), DAY - HOUR);
  assert.equal(momentOf(clockThatShowed(DAY - 1_000).clock, device), DAY);
});

for (const jump of [HOUR, DAY]) {
  test(`a retry does not wait for the old time: the clock set back by ${jump / HOUR} h`, async (t) => {
    const bench = await startBench(t);
    const { context, provider, delivery } = bench;
    context.clock.advance(2 * DAY);
    provider.script("a", async () => AGAIN);
    const id = await accept(bench, [await addDevice(bench, "a")]);
    await delivery.worker.idle();
    await workOnce(bench.delivery.worker);
    provider.script("a", async () => ACCEPTED);
    context.clock.advance(-jump);
    await workOnce(bench.delivery.worker);
    await workOnce(bench.delivery.worker);
    assert.deepEqual(await statesOf(bench, id), ["accepted"]);
  });
}

test("a retry waits out its time where that began before, and no longer", async (t) => {
  const bench = await startBench(t);
  const { context, provider, delivery } = bench;
  provider.script("a", async () => AGAIN);
  const id = await accept(bench, [await addDevice(bench, "a")]);
  await delivery.worker.idle();
  context.clock.advance(20 * MINUTE);
  await workOnce(bench.delivery.worker);
  const before = (await findRecorded(context, [id])).pending.get(id)?.[0]?.runAt ?? 0;
  context.clock.advance(-15 * MINUTE);
  await workOnce(bench.delivery.worker);
  await workOnce(bench.delivery.worker);
  assert.equal(provider.attempts.length, 1);
  const after = (await findRecorded(context, [id])).pending.get(id)?.[0]?.runAt ?? 0;
  assert.equal(after, before - 15 * MINUTE);
  provider.script("a", async () => ACCEPTED);
  context.clock.advance(after - context.now());
  await workOnce(bench.delivery.worker);
  assert.deepEqual(await statesOf(bench, id), ["accepted"]);
});

test("a device that failed before the clock was set back does not wait for the old time, though its job was under way then", async (t) => {
  const failed = Promise.withResolvers<void>();
  const bench = await startBench(t, { publish: () => failed.resolve() });
  const { context, provider, delivery } = bench;
  context.clock.advance(2 * DAY);
  await workOnce(delivery.worker);
  const late = Promise.withResolvers<Outcome>();
  provider.script("a", async () => AGAIN);
  provider.script("b", async () => late.promise);
  const id = await accept(bench, [await addDevice(bench, "a"), await addDevice(bench, "b")]);
  await failed.promise;
  context.clock.advance(-DAY);
  await delivery.worker.takeDue();
  // Longer than any second pass waits.
  context.clock.advance(20_000);
  await delivery.worker.takeDue();
  late.resolve(ACCEPTED);
  await delivery.worker.idle();
  provider.script("a", async () => ACCEPTED);
  await workOnce(delivery.worker);
  assert.equal(provider.attempts.length, 2);
  context.clock.advance(45 * MINUTE);
  await workOnce(delivery.worker);
  assert.deepEqual(await statesOf(bench, id), ["accepted", "accepted"]);
});

test("a wait that cannot be recorded until the clock was set back does not last until the old time", async (t) => {
  const refused = Promise.withResolvers<void>();
  const bench = await startBench(t);
  const { context, provider, delivery } = bench;
  const { database } = context;
  const atomically = database.atomically.bind(database);
  context.clock.advance(2 * DAY);
  await workOnce(delivery.worker);
  provider.script("a", async () => {
    Object.assign(database, {
      atomically: async () => {
        Object.assign(database, { atomically });
        refused.resolve();
        throw unavailableError();
      },
    });
    return AGAIN;
  });
  const id = await accept(bench, [await addDevice(bench, "a")]);
  await refused.promise;
  context.clock.advance(-DAY);
  await delivery.worker.takeDue();
  context.clock.advance(20_000);
  await delivery.worker.takeDue();
  await delivery.worker.idle();
  provider.script("a", async () => ACCEPTED);
  context.clock.advance(45 * MINUTE);
  await workOnce(delivery.worker);
  assert.deepEqual(await statesOf(bench, id), ["accepted"]);
});

test("a clock that was ahead only while a job was under way is noticed when it is right again", async (t) => {
  const bench = await startBench(t);
  const { context, provider, delivery } = bench;
  await workOnce(delivery.worker);
  context.clock.advance(HOUR);
  provider.script("a", async () => AGAIN);
  const id = await accept(bench, [await addDevice(bench, "a")]);
  await delivery.worker.idle();
  context.clock.advance(-HOUR);
  provider.script("a", async () => ACCEPTED);
  await delivery.worker.look();
  await delivery.worker.idle();
  assert.deepEqual(await statesOf(bench, id), ["accepted"]);
});

test("a job that was being stored when the clock was set back is found by a second look", async (t) => {
  const bench = await startBench(t);
  const { context, provider, delivery } = bench;
  context.clock.advance(2 * DAY);
  await workOnce(delivery.worker);
  provider.script("a", async () => AGAIN);
  await accept(bench, [await addDevice(bench, "a")]);
  await delivery.worker.idle();
  const { db } = context.database;
  const recorded = () => db.selectFrom("send_job").select("run_at").executeTakeFirstOrThrow();
  const byOldTime = await recorded();
  context.clock.advance(-DAY);
  await workOnce(delivery.worker);
  const byPresentTime = await recorded();
  await db.updateTable("send_job").set(byOldTime).execute();
  context.clock.advance(10_000);
  await workOnce(delivery.worker);
  assert.deepEqual(await recorded(), byPresentTime);
});

test("a held service is asked in its usual time after the clock was set back by a day", async (t) => {
  const bench = await startBench(t);
  const { context, provider, delivery } = bench;
  context.clock.advance(2 * DAY);
  const reason = { code: "provider_misconfigured", detail: "403" } as const;
  provider.script("a", async () => ({ kind: "refused", reason }));
  const id = await accept(bench, [await addDevice(bench, "a")]);
  await delivery.worker.idle();
  await workOnce(bench.delivery.worker);
  context.clock.advance(-DAY);
  provider.script("a", async () => ACCEPTED);
  await workOnce(bench.delivery.worker);
  await workOnce(bench.delivery.worker);
  assert.equal(provider.attempts.length, 1);
  context.clock.advance(5 * MINUTE);
  await workOnce(bench.delivery.worker);
  assert.deepEqual(await statesOf(bench, id), ["accepted"]);
});
