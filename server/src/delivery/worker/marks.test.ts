import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { notificationTo } from "../../../test/support/notifications.ts";
import { testContext } from "../../../test/support/room.ts";
import { untried, type LeasedJob } from "../delivery.ts";
import { LEASE_MS } from "../lease.ts";
import { HeldLease } from "./held-lease.ts";
import { Marks } from "./marks.ts";
import { createDeliveryStore } from "../store/create-store.ts";
import type { DeliveryStore, NextStep, Settlement } from "../store/delivery-store.ts";

const MARK = { deviceId: "d1", deaths: 1 };

test("L11: a mark left by a dead process becomes a suspect until the next step is recorded", async (t) => {
  const context = await testContext(t);
  const { clock, newId } = context;
  const first = createDeliveryStore(context, "node-1");
  const second = createDeliveryStore(context, "node-2");
  const pending = untried(["d1"], 0);
  const notification = notificationTo(context, "ann");
  const work = { kind: "devices", pending } as const;
  await first.accept([{ notification, lane: 0, work, idempotency: null, takeLease: false }]);
  const take = async (store: DeliveryStore): Promise<LeasedJob> => {
    const [job] = await store.claim({ lane: 0, max: 1, until: clock.now() + LEASE_MS });
    return job ?? assert.fail("Nothing is due.");
  };
  const settle = async ({ lease }: LeasedJob, next: NextStep) => {
    const base = { id: newId(), notificationId: notification.id, results: [], news: null };
    return (await first.settle([{ ...base, lease, next }]))[0];
  };
  const setMark = (job: LeasedJob) => settle(job, { kind: "mark", mark: MARK });

  assert.equal(await setMark(await take(first)), "ok");
  clock.advance(LEASE_MS);
  // A node that lost the lease and claims the job again is not dead.
  const claimedAgain = await take(first);
  assert.equal(claimedAgain.suspect, null);
  await setMark(claimedAgain);
  clock.advance(LEASE_MS);
  const takenOver = await take(second);
  assert.deepEqual(takenOver.suspect, MARK);
  assert.equal(await setMark(claimedAgain), "fenced");
  assert.equal(await settle(takenOver, { kind: "mark", mark: null }), "ok");
  // A process that dies before it records anything does not count as a second death at the same step.
  await first.reclaim(["node-2"]);
  const reclaimed = await take(first);
  assert.deepEqual(reclaimed.suspect, MARK);
  await first.release([reclaimed.lease], clock.now());
  const released = await take(first);
  assert.deepEqual(released.suspect, MARK);
  await settle(released, { kind: "retry", pending, at: clock.now(), waitsFor: [] });
  const retried = await take(first);
  assert.equal(retried.suspect, null);
  await setMark(retried);
  await first.recover();
  assert.deepEqual((await take(second)).suspect, MARK);
});

/** Returns the marks of a run of a claimed job, whose suspect has `deaths`. */
async function setUp(t: TestContext, deaths: number) {
  const context = await testContext(t);
  const store = createDeliveryStore(context, "node-1");
  const work = { kind: "devices", pending: untried(["d1"], 0) } as const;
  const notification = notificationTo(context, "ann");
  await store.accept([{ notification, lane: 0, work, idempotency: null, takeLease: false }]);
  const until = context.now() + LEASE_MS;
  const [job = assert.fail("Nothing is due.")] = await store.claim({ lane: 0, max: 1, until });
  const held = new HeldLease(job.lease, context);
  const settle = async (settlement: Settlement) => {
    const [ack = assert.fail("It has no answer.")] = await store.settle([settlement]);
    return ack;
  };
  const suspect = { deviceId: "d0", deaths };
  const marks = new Marks({ ...context, settle }, { job: { ...job, suspect }, held });
  const marked = async () =>
    (await context.database.db.selectFrom("send_job").select("marked").execute())[0]?.marked;
  return { context, held, marks, marked };
}

test("a run counts the last death until a step explains it or succeeds", async (t) => {
  const { marks, marked } = await setUp(t, 1);
  assert.equal(marks.deaths, 2);
  assert.equal(await marks.set("d1"), true);
  assert.equal(await marked(), '["d1",2]');
  await marks.clear();
  assert.equal(await marked(), null);
  marks.forgetDeaths();
  await marks.set(null);
  assert.deepEqual([marks.deaths, await marked()], [0, "[null,0]"]);
});

test("a step may not begin if the lease was lost or is about to end once it is marked", async (t) => {
  const { context, held, marks } = await setUp(t, 0);
  context.clock.advance(LEASE_MS - 4_999);
  assert.equal(await marks.set("d1"), false);
  assert.equal(held.signal.aborted, false);
  context.clock.advance(4_999);
  const second = createDeliveryStore(context, "node-2");
  await second.claim({ lane: 0, max: 1, until: context.now() + LEASE_MS });
  assert.equal(await marks.set("d1"), false);
  assert.equal(held.signal.aborted, true);
});
