import assert from "node:assert/strict";
import test from "node:test";
import {
  accept,
  addDevice,
  startBench,
  statesOf,
  workOnce,
} from "../../test/support/delivery-bench.ts";
import { ACCEPTED } from "../../test/support/scripted-provider.ts";
import type { Outcome } from "#providers/provider.ts";
import { findRecorded } from "#notifications/log/store.ts";
import { untried, type PendingDevice } from "./delivery.ts";
import { byPresentClock, ClockRollback } from "./clock-rollback.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const AGAIN: Outcome = {
  kind: "retry",
  reason: { code: "transient", detail: "503" },
  afterMs: 40 * MINUTE,
  counted: true,
};

/** Who failed at a moment, and waits for another one. */
function failed(at: number, nextAt: number): PendingDevice {
  const [device] = untried(["phone"], nextAt);
  assert.ok(device !== undefined);
  const attempt = { kind: "retry", at, code: "transient", detail: null, nextAt } as const;
  return { ...device, code: "transient", history: { attempts: [attempt], leftOut: 0 } };
}

function momentOf(
  device: PendingDevice,
  now: number,
  clock = new ClockRollback(),
): number | undefined {
  const [found] = byPresentClock([device], { now, rollback: clock.latest });
  return found?.runAt;
}

test("a clock is set back where it shows clearly less than before", () => {
  const clock = new ClockRollback();
  clock.note(DAY);
  clock.note(DAY - 999);
  assert.equal(clock.latest, null);
  clock.note(DAY - 999 - HOUR);
  assert.deepEqual(clock.latest, { at: DAY - 999 - HOUR, byMs: HOUR });
});

test("who failed just when it was noticed waits as named", () => {
  const clock = new ClockRollback();
  clock.note(DAY);
  clock.note(HOUR);
  assert.equal(momentOf(failed(HOUR, 2 * HOUR), HOUR, clock), 2 * HOUR);
});

test("who failed in a time that has not come yet is due", () => {
  assert.equal(momentOf(failed(DAY, DAY + HOUR), DAY - HOUR), DAY - HOUR);
  assert.equal(momentOf(failed(DAY, DAY + HOUR), DAY), DAY + HOUR);
});

test("a wait that began before the clock was set back lasts as long as it was to, whoever looks how often", () => {
  const clock = new ClockRollback();
  clock.note(DAY);
  const now = DAY - 10 * MINUTE;
  clock.note(now);
  const device = failed(now - 5 * MINUTE, now + 45 * MINUTE);
  const moment = momentOf(device, now, clock);
  assert.equal(moment, now + 35 * MINUTE);
  assert.equal(momentOf({ ...device, runAt: now + 35 * MINUTE }, now, clock), moment);
  const later = failed(now + 1, now + 30 * MINUTE);
  assert.equal(momentOf(later, now + 1, clock), now + 30 * MINUTE);
});

test("who was never tried waits for a moment at most", () => {
  const [device] = untried(["phone"], DAY);
  assert.ok(device !== undefined);
  assert.equal(momentOf(device, DAY - HOUR), DAY - HOUR);
  assert.equal(momentOf(device, DAY - 1_000), DAY);
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

test("who failed before the clock was set back does not wait for the old time, though its job was under way then", async (t) => {
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
  late.resolve(ACCEPTED);
  await delivery.worker.idle();
  provider.script("a", async () => ACCEPTED);
  await workOnce(delivery.worker);
  assert.deepEqual(await statesOf(bench, id), ["accepted", "accepted"]);
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

test("what was being stored when the clock was set back is found by a second look", async (t) => {
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
