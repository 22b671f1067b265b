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

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const RETRY: Outcome = {
  kind: "retry",
  reason: { code: "transient", detail: "503" },
  afterMs: 40 * MINUTE_MS,
  counted: true,
};

/** Returns a device that failed at `at` and waits until `nextAt`. */
function failed(at: number, nextAt: number): PendingDevice {
  const [device] = untried(["phone"], nextAt);
  assert.ok(device !== undefined);
  const attempt = { kind: "retry", at, code: "transient", detail: null, nextAt } as const;
  return { ...device, code: "transient", history: { attempts: [attempt], leftOut: 0 } };
}

/** Returns a clock that showed these times one after the other. */
function clockThatShowed(...readings: readonly number[]) {
  let reading = 0;
  const clock = new ClockRollback({ now: () => reading, elapsed: () => 0 });
  const show = (time: number) => {
    reading = time;
    clock.now();
  };
  for (const time of readings) show(time);
  return { clock, show };
}

function corrected(clock: ClockRollback, device: PendingDevice): PendingDevice {
  const { work } = clock.correct(jobOf(device));
  assert.ok(work.kind === "devices");
  return work.pending[0] ?? assert.fail("the device is left out");
}

function correctedRunAt(clock: ClockRollback, device: PendingDevice): number {
  return corrected(clock, device).runAt;
}

function jobOf(device: PendingDevice): LeasedJob {
  const notification = notificationTo({ newId: () => "1", now: () => 0 }, "ann");
  const lease = { jobId: "job", epoch: 1, until: 0 };
  const work = { kind: "devices", pending: [device] } as const;
  return { lease, lane: 0, notification, work, crashes: 0, suspect: null };
}

test("a clock that shows over a second less than before was set back", () => {
  const { clock, show } = clockThatShowed(DAY_MS, DAY_MS - 999);
  assert.equal(clock.isNoticed(), false);
  show(DAY_MS - 999 - HOUR_MS);
  assert.equal(clock.isNoticed(), true);
});

test("a clock that showed more in the previous process was set back", () => {
  const clocks = { now: () => DAY_MS, elapsed: () => 0 };
  assert.equal(new ClockRollback(clocks, DAY_MS + 1_001).isNoticed(), true);
  assert.equal(new ClockRollback(clocks, DAY_MS + 1_000).isNoticed(), false);
});

test("a device that failed when the rollback was noticed keeps its retry time", () => {
  const { clock } = clockThatShowed(DAY_MS, HOUR_MS);
  assert.equal(correctedRunAt(clock, failed(HOUR_MS, 2 * HOUR_MS)), 2 * HOUR_MS);
});

test("a device that failed in the future is due once", () => {
  const { clock, show } = clockThatShowed(DAY_MS - HOUR_MS);
  const device = corrected(clock, failed(DAY_MS, DAY_MS + HOUR_MS));
  assert.equal(device.runAt, DAY_MS - HOUR_MS);
  assert.equal(device.history?.attempts[0]?.at, DAY_MS - HOUR_MS);
  show(DAY_MS);
  assert.equal(correctedRunAt(clock, failed(DAY_MS, DAY_MS + HOUR_MS)), DAY_MS + HOUR_MS);
});

test("a wait that began before a rollback keeps its length after any number of corrections", () => {
  const now = DAY_MS - 10 * MINUTE_MS;
  const { clock, show } = clockThatShowed(DAY_MS, now);
  const device = failed(now - 5 * MINUTE_MS, now + 45 * MINUTE_MS);
  const time = correctedRunAt(clock, device);
  assert.equal(time, now + 35 * MINUTE_MS);
  assert.equal(correctedRunAt(clock, { ...device, runAt: now + 35 * MINUTE_MS }), time);
  show(now + 1);
  assert.equal(correctedRunAt(clock, failed(now + 1, now + 30 * MINUTE_MS)), now + 30 * MINUTE_MS);
});

test("a device without an attempt waits five seconds at most", () => {
  const [device] = untried(["phone"], DAY_MS);
  assert.ok(device !== undefined);
  assert.equal(correctedRunAt(clockThatShowed(DAY_MS - HOUR_MS).clock, device), DAY_MS - HOUR_MS);
  assert.equal(correctedRunAt(clockThatShowed(DAY_MS - 1_000).clock, device), DAY_MS);
});

for (const jump of [HOUR_MS, DAY_MS]) {
  test(`a retry does not wait for the old time after a rollback by ${jump / HOUR_MS} h`, async (t) => {
    const bench = await startBench(t);
    const { context, provider, delivery } = bench;
    context.clock.advance(2 * DAY_MS);
    provider.script("a", async () => RETRY);
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

test("a retry that waits during a rollback keeps its delay", async (t) => {
  const bench = await startBench(t);
  const { context, provider, delivery } = bench;
  provider.script("a", async () => RETRY);
  const id = await accept(bench, [await addDevice(bench, "a")]);
  await delivery.worker.idle();
  context.clock.advance(20 * MINUTE_MS);
  await workOnce(bench.delivery.worker);
  const before = (await findRecorded(context, [id])).pending.get(id)?.[0]?.runAt ?? 0;
  context.clock.advance(-15 * MINUTE_MS);
  await workOnce(bench.delivery.worker);
  await workOnce(bench.delivery.worker);
  assert.equal(provider.attempts.length, 1);
  const after = (await findRecorded(context, [id])).pending.get(id)?.[0]?.runAt ?? 0;
  assert.equal(after, before - 15 * MINUTE_MS);
  provider.script("a", async () => ACCEPTED);
  context.clock.advance(after - context.now());
  await workOnce(bench.delivery.worker);
  assert.deepEqual(await statesOf(bench, id), ["accepted"]);
});

test("a device whose job runs during a rollback does not wait for the old time", async (t) => {
  const failed = Promise.withResolvers<void>();
  const bench = await startBench(t, { publish: () => failed.resolve() });
  const { context, provider, delivery } = bench;
  context.clock.advance(2 * DAY_MS);
  await workOnce(delivery.worker);
  const slowResponse = Promise.withResolvers<Outcome>();
  provider.script("a", async () => RETRY);
  provider.script("b", async () => slowResponse.promise);
  const id = await accept(bench, [await addDevice(bench, "a"), await addDevice(bench, "b")]);
  await failed.promise;
  context.clock.advance(-DAY_MS);
  await delivery.worker.takeDue();
  // Longer than the delay of the second pass.
  context.clock.advance(20_000);
  await delivery.worker.takeDue();
  slowResponse.resolve(ACCEPTED);
  await delivery.worker.idle();
  provider.script("a", async () => ACCEPTED);
  await workOnce(delivery.worker);
  assert.equal(provider.attempts.length, 2);
  context.clock.advance(45 * MINUTE_MS);
  await workOnce(delivery.worker);
  assert.deepEqual(await statesOf(bench, id), ["accepted", "accepted"]);
});

test("a wait that is recorded only after a rollback does not last until the old time", async (t) => {
  const refused = Promise.withResolvers<void>();
  const bench = await startBench(t);
  const { context, provider, delivery } = bench;
  const { database } = context;
  const atomically = database.atomically.bind(database);
  context.clock.advance(2 * DAY_MS);
  await workOnce(delivery.worker);
  provider.script("a", async () => {
    Object.assign(database, {
      atomically: async () => {
        Object.assign(database, { atomically });
        refused.resolve();
        throw unavailableError();
      },
    });
    return RETRY;
  });
  const id = await accept(bench, [await addDevice(bench, "a")]);
  await refused.promise;
  context.clock.advance(-DAY_MS);
  await delivery.worker.takeDue();
  context.clock.advance(20_000);
  await delivery.worker.takeDue();
  await delivery.worker.idle();
  provider.script("a", async () => ACCEPTED);
  context.clock.advance(45 * MINUTE_MS);
  await workOnce(delivery.worker);
  assert.deepEqual(await statesOf(bench, id), ["accepted"]);
});

test("a clock that was ahead only during a job is noticed when it is right again", async (t) => {
  const bench = await startBench(t);
  const { context, provider, delivery } = bench;
  await workOnce(delivery.worker);
  context.clock.advance(HOUR_MS);
  provider.script("a", async () => RETRY);
  const id = await accept(bench, [await addDevice(bench, "a")]);
  await delivery.worker.idle();
  context.clock.advance(-HOUR_MS);
  provider.script("a", async () => ACCEPTED);
  await delivery.worker.look();
  await delivery.worker.idle();
  assert.deepEqual(await statesOf(bench, id), ["accepted"]);
});

test("a job that was stored during a rollback is found by the second pass", async (t) => {
  const bench = await startBench(t);
  const { context, provider, delivery } = bench;
  context.clock.advance(2 * DAY_MS);
  await workOnce(delivery.worker);
  provider.script("a", async () => RETRY);
  await accept(bench, [await addDevice(bench, "a")]);
  await delivery.worker.idle();
  const { db } = context.database;
  const recorded = () => db.selectFrom("send_job").select("run_at").executeTakeFirstOrThrow();
  const byOldTime = await recorded();
  context.clock.advance(-DAY_MS);
  await workOnce(delivery.worker);
  const byPresentTime = await recorded();
  await db.updateTable("send_job").set(byOldTime).execute();
  context.clock.advance(10_000);
  await workOnce(delivery.worker);
  assert.deepEqual(await recorded(), byPresentTime);
});

test("a held service is probed at its usual time after a rollback by a day", async (t) => {
  const bench = await startBench(t);
  const { context, provider, delivery } = bench;
  context.clock.advance(2 * DAY_MS);
  const reason = { code: "provider_misconfigured", detail: "403" } as const;
  provider.script("a", async () => ({ kind: "refused", reason }));
  const id = await accept(bench, [await addDevice(bench, "a")]);
  await delivery.worker.idle();
  await workOnce(bench.delivery.worker);
  context.clock.advance(-DAY_MS);
  provider.script("a", async () => ACCEPTED);
  await workOnce(bench.delivery.worker);
  await workOnce(bench.delivery.worker);
  assert.equal(provider.attempts.length, 1);
  context.clock.advance(5 * MINUTE_MS);
  await workOnce(bench.delivery.worker);
  assert.deepEqual(await statesOf(bench, id), ["accepted"]);
});
