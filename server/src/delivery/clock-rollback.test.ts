import assert from "node:assert/strict";
import test from "node:test";
import {
  acceptNotification,
  addDevice,
  startDeliveryBench,
  readStates,
  runWorkerOnce,
} from "../../test/support/delivery-bench.ts";
import { createUnavailableError } from "../../test/support/database.ts";
import { ACCEPTED } from "../../test/support/scripted-provider.ts";
import type { Outcome } from "#providers/provider.ts";
import { findRecordedDeliveries } from "#notifications/log/store.ts";
import { createNotification } from "../../test/support/notifications.ts";
import { createPendingDevices, type LeasedJob, type PendingDevice } from "./delivery.ts";
import { ClockRollback } from "./clock-rollback.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The delay of the second pass after a rollback. */
const SECOND_PASS_AFTER_MS = 10_000;
const RETRY: Outcome = {
  kind: "retry",
  reason: { code: "transient", detail: "503" },
  afterMs: 40 * MINUTE_MS,
  isCounted: true,
};

/** Returns a device that failed at `at` and waits until `nextAt`. */
function createFailedDevice(at: number, nextAt: number): PendingDevice {
  const [device] = createPendingDevices(["phone"], nextAt);
  assert.ok(device !== undefined);
  const attempt = { kind: "retry", at, code: "transient", detail: null, nextAt } as const;
  return { ...device, code: "transient", history: { attempts: [attempt], leftOut: 0 } };
}

/** Returns a clock that showed these times one after another. */
function createClockWithReadings(...readings: readonly number[]) {
  let reading = 0;
  const clock = new ClockRollback({ now: () => reading, elapsed: () => 0 });
  const setReading = (time: number) => {
    reading = time;
    clock.now();
  };
  for (const time of readings) setReading(time);
  return { clock, setReading };
}

function correctDevice(clock: ClockRollback, device: PendingDevice): PendingDevice {
  const { work } = clock.correctJob(createLeasedJob(device));
  assert.ok(work.kind === "devices");
  return work.pending[0] ?? assert.fail("the device is left out");
}

function getCorrectedRunAt(clock: ClockRollback, device: PendingDevice): number {
  return correctDevice(clock, device).runAt;
}

function createLeasedJob(device: PendingDevice): LeasedJob {
  const notification = createNotification({ newId: () => "1", now: () => 0 }, "ann");
  const lease = { jobId: "job", epoch: 1, until: 0 };
  const work = { kind: "devices", pending: [device] } as const;
  return { lease, lane: 0, notification, work, crashes: 0, suspect: null };
}

test("a clock that shows over a second less than before was set back", () => {
  const { clock, setReading } = createClockWithReadings(DAY_MS, DAY_MS - 999);
  assert.equal(clock.hasUnhandledRollback(), false);
  setReading(DAY_MS - 999 - HOUR_MS);
  assert.equal(clock.hasUnhandledRollback(), true);
});

test("a clock that showed more in the previous process was set back", () => {
  const clocks = { now: () => DAY_MS, elapsed: () => 0 };
  assert.equal(new ClockRollback(clocks, DAY_MS + 1_001).hasUnhandledRollback(), true);
  assert.equal(new ClockRollback(clocks, DAY_MS + 1_000).hasUnhandledRollback(), false);
});

test("a device that failed when the rollback was noticed keeps its retry time", () => {
  const { clock } = createClockWithReadings(DAY_MS, HOUR_MS);
  assert.equal(getCorrectedRunAt(clock, createFailedDevice(HOUR_MS, 2 * HOUR_MS)), 2 * HOUR_MS);
});

test("a device whose last attempt lies in the future is due at once, but not after that time has come", () => {
  const { clock, setReading } = createClockWithReadings(DAY_MS - HOUR_MS);
  const device = correctDevice(clock, createFailedDevice(DAY_MS, DAY_MS + HOUR_MS));
  assert.equal(device.runAt, DAY_MS - HOUR_MS);
  assert.equal(device.history?.attempts[0]?.at, DAY_MS - HOUR_MS);
  setReading(DAY_MS);
  assert.equal(
    getCorrectedRunAt(clock, createFailedDevice(DAY_MS, DAY_MS + HOUR_MS)),
    DAY_MS + HOUR_MS,
  );
});

test("a wait that began before a rollback keeps its length after any number of corrections", () => {
  const now = DAY_MS - 10 * MINUTE_MS;
  const { clock, setReading } = createClockWithReadings(DAY_MS, now);
  const device = createFailedDevice(now - 5 * MINUTE_MS, now + 45 * MINUTE_MS);
  const time = getCorrectedRunAt(clock, device);
  assert.equal(time, now + 35 * MINUTE_MS);
  assert.equal(getCorrectedRunAt(clock, { ...device, runAt: now + 35 * MINUTE_MS }), time);
  setReading(now + 1);
  assert.equal(
    getCorrectedRunAt(clock, createFailedDevice(now + 1, now + 30 * MINUTE_MS)),
    now + 30 * MINUTE_MS,
  );
});

test("a device without an attempt waits five seconds at most", () => {
  const [device] = createPendingDevices(["phone"], DAY_MS);
  assert.ok(device !== undefined);
  assert.equal(
    getCorrectedRunAt(createClockWithReadings(DAY_MS - HOUR_MS).clock, device),
    DAY_MS - HOUR_MS,
  );
  assert.equal(getCorrectedRunAt(createClockWithReadings(DAY_MS - 1_000).clock, device), DAY_MS);
});

for (const jump of [HOUR_MS, DAY_MS]) {
  test(`a retry does not wait for the old time after a rollback by ${jump / HOUR_MS} h`, async (t) => {
    const bench = await startDeliveryBench(t);
    const { context, provider, delivery } = bench;
    context.clock.advance(2 * DAY_MS);
    provider.script("a", async () => RETRY);
    const id = await acceptNotification(bench, [await addDevice(bench, "a")]);
    await delivery.worker.waitUntilIdle();
    await runWorkerOnce(bench.delivery.worker);
    provider.script("a", async () => ACCEPTED);
    context.clock.advance(-jump);
    await runWorkerOnce(bench.delivery.worker);
    await runWorkerOnce(bench.delivery.worker);
    assert.deepEqual(await readStates(bench, id), ["accepted"]);
  });
}

test("a retry that waits during a rollback keeps its delay", async (t) => {
  const bench = await startDeliveryBench(t);
  const { context, provider, delivery } = bench;
  provider.script("a", async () => RETRY);
  const id = await acceptNotification(bench, [await addDevice(bench, "a")]);
  await delivery.worker.waitUntilIdle();
  context.clock.advance(20 * MINUTE_MS);
  await runWorkerOnce(bench.delivery.worker);
  const runAtBefore =
    (await findRecordedDeliveries(context, [id])).pending.get(id)?.[0]?.runAt ?? 0;
  context.clock.advance(-15 * MINUTE_MS);
  await runWorkerOnce(bench.delivery.worker);
  await runWorkerOnce(bench.delivery.worker);
  assert.equal(provider.attempts.length, 1);
  const runAtAfter = (await findRecordedDeliveries(context, [id])).pending.get(id)?.[0]?.runAt ?? 0;
  assert.equal(runAtAfter, runAtBefore - 15 * MINUTE_MS);
  provider.script("a", async () => ACCEPTED);
  context.clock.advance(runAtAfter - context.now());
  await runWorkerOnce(bench.delivery.worker);
  assert.deepEqual(await readStates(bench, id), ["accepted"]);
});

test("a device whose job runs during a rollback does not wait for the old time", async (t) => {
  const failed = Promise.withResolvers<void>();
  const bench = await startDeliveryBench(t, { publishReport: () => failed.resolve() });
  const { context, provider, delivery } = bench;
  context.clock.advance(2 * DAY_MS);
  await runWorkerOnce(delivery.worker);
  const slowResponse = Promise.withResolvers<Outcome>();
  provider.script("a", async () => RETRY);
  provider.script("b", async () => slowResponse.promise);
  const id = await acceptNotification(bench, [
    await addDevice(bench, "a"),
    await addDevice(bench, "b"),
  ]);
  await failed.promise;
  context.clock.advance(-DAY_MS);
  await delivery.worker.claimDue();
  context.clock.advance(2 * SECOND_PASS_AFTER_MS);
  await delivery.worker.claimDue();
  slowResponse.resolve(ACCEPTED);
  await delivery.worker.waitUntilIdle();
  provider.script("a", async () => ACCEPTED);
  await runWorkerOnce(delivery.worker);
  assert.equal(provider.attempts.length, 2);
  context.clock.advance(45 * MINUTE_MS);
  await runWorkerOnce(delivery.worker);
  assert.deepEqual(await readStates(bench, id), ["accepted", "accepted"]);
});

test("a wait that is recorded only after a rollback does not last until the old time", async (t) => {
  const refused = Promise.withResolvers<void>();
  const bench = await startDeliveryBench(t);
  const { context, provider, delivery } = bench;
  const { database } = context;
  const atomically = database.atomically.bind(database);
  context.clock.advance(2 * DAY_MS);
  await runWorkerOnce(delivery.worker);
  provider.script("a", async () => {
    Object.assign(database, {
      atomically: async () => {
        Object.assign(database, { atomically });
        refused.resolve();
        throw createUnavailableError();
      },
    });
    return RETRY;
  });
  const id = await acceptNotification(bench, [await addDevice(bench, "a")]);
  await refused.promise;
  context.clock.advance(-DAY_MS);
  await delivery.worker.claimDue();
  context.clock.advance(2 * SECOND_PASS_AFTER_MS);
  await delivery.worker.claimDue();
  await delivery.worker.waitUntilIdle();
  provider.script("a", async () => ACCEPTED);
  context.clock.advance(45 * MINUTE_MS);
  await runWorkerOnce(delivery.worker);
  assert.deepEqual(await readStates(bench, id), ["accepted"]);
});

test("a clock that was ahead only during a job is noticed when it is right again", async (t) => {
  const bench = await startDeliveryBench(t);
  const { context, provider, delivery } = bench;
  await runWorkerOnce(delivery.worker);
  context.clock.advance(HOUR_MS);
  provider.script("a", async () => RETRY);
  const id = await acceptNotification(bench, [await addDevice(bench, "a")]);
  await delivery.worker.waitUntilIdle();
  context.clock.advance(-HOUR_MS);
  provider.script("a", async () => ACCEPTED);
  await delivery.worker.poll();
  await delivery.worker.waitUntilIdle();
  assert.deepEqual(await readStates(bench, id), ["accepted"]);
});

test("a job that was stored during a rollback is found by the second pass", async (t) => {
  const bench = await startDeliveryBench(t);
  const { context, provider, delivery } = bench;
  context.clock.advance(2 * DAY_MS);
  await runWorkerOnce(delivery.worker);
  provider.script("a", async () => RETRY);
  await acceptNotification(bench, [await addDevice(bench, "a")]);
  await delivery.worker.waitUntilIdle();
  const { db } = context.database;
  const readRunAt = () => db.selectFrom("send_job").select("run_at").executeTakeFirstOrThrow();
  const byOldTime = await readRunAt();
  context.clock.advance(-DAY_MS);
  await runWorkerOnce(delivery.worker);
  const byPresentTime = await readRunAt();
  await db.updateTable("send_job").set(byOldTime).execute();
  context.clock.advance(SECOND_PASS_AFTER_MS);
  await runWorkerOnce(delivery.worker);
  assert.deepEqual(await readRunAt(), byPresentTime);
});

for (const [subject, concernsDevice] of [
  ["a service", false],
  ["a device", true],
] as const) {
  test(`${subject} that refused a token of a wrong clock is tried again once the clock is right`, async (t) => {
    const bench = await startDeliveryBench(t);
    const { context, provider, delivery } = bench;
    context.clock.advance(2 * DAY_MS);
    const reason = { code: "provider_misconfigured", detail: "403" } as const;
    const refused = { kind: "refused", reason, mayConcernOnlyDevice: concernsDevice } as const;
    provider.script("a", async () => refused);
    const id = await acceptNotification(bench, [await addDevice(bench, "a")]);
    await delivery.worker.waitUntilIdle();
    provider.script("a", async () => ACCEPTED);
    await runWorkerOnce(bench.delivery.worker);
    assert.equal(provider.attempts.length, 1, "the wait is over only after a correction");
    context.clock.advance(-DAY_MS);
    await runWorkerOnce(bench.delivery.worker);
    assert.deepEqual(await readStates(bench, id), ["accepted"]);
  });
}
