import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { createNotification } from "../../../test/support/notifications.ts";
import { createRoomContext } from "../../../test/support/context.ts";
import { createPendingDevices, type LeasedJob } from "../delivery.ts";
import { LEASE_MS } from "../lease.ts";
import { HeldLease } from "./held-lease.ts";
import { StepMarks } from "./step-marks.ts";
import { createDeliveryStore } from "../store/create-store.ts";
import type { DeliveryStore, NextStep, Settlement } from "../store/delivery-store.ts";

const MARK = { deviceId: "d1", crashes: 1 };

test("a mark left by a dead process becomes a suspect until the next step is recorded", async (t) => {
  const context = await createRoomContext(t);
  const { clock, newId } = context;
  const first = createDeliveryStore(context, "node-1");
  const second = createDeliveryStore(context, "node-2");
  const pending = createPendingDevices(["d1"], 0);
  const notification = createNotification(context, "ann");
  const work = { kind: "devices", pending } as const;
  await first.accept([{ notification, lane: 0, work, idempotency: null, takeLease: false }]);
  const claimJob = async (store: DeliveryStore): Promise<LeasedJob> => {
    const [job] = await store.claim({ lane: 0, max: 1, until: clock.now() + LEASE_MS });
    return job ?? assert.fail("Nothing is due.");
  };
  const settle = async ({ lease }: LeasedJob, next: NextStep) => {
    const settlement = {
      id: newId(),
      notificationId: notification.id,
      lease,
      results: [],
      deviceStateUpdate: null,
      next,
    };
    return (await first.settle([settlement]))[0];
  };
  const setMark = (job: LeasedJob) => settle(job, { kind: "mark", mark: MARK });

  assert.equal(await setMark(await claimJob(first)), "ok");
  clock.advance(LEASE_MS);
  // A node that lost the lease and claims the job again is not dead.
  const claimedAgain = await claimJob(first);
  assert.equal(claimedAgain.suspect, null);
  await setMark(claimedAgain);
  clock.advance(LEASE_MS);
  const takenOver = await claimJob(second);
  assert.deepEqual(takenOver.suspect, MARK);
  assert.equal(await setMark(claimedAgain), "fenced");
  assert.equal(await settle(takenOver, { kind: "mark", mark: null }), "ok");
  // A process that dies before it records anything does not count as a second crash at the same step.
  await first.reclaim(["node-2"]);
  const reclaimed = await claimJob(first);
  assert.deepEqual(reclaimed.suspect, MARK);
  await first.releaseLeases([reclaimed.lease], clock.now());
  const released = await claimJob(first);
  assert.deepEqual(released.suspect, MARK);
  await settle(released, { kind: "retry", pending, at: clock.now(), waitsFor: [] });
  const retried = await claimJob(first);
  assert.equal(retried.suspect, null);
  await setMark(retried);
  await first.recover();
  assert.deepEqual((await claimJob(second)).suspect, MARK);
});

/** Returns the marks of a run of a claimed job, whose suspect has `crashes`. */
async function setUp(t: TestContext, crashes: number) {
  const context = await createRoomContext(t);
  const store = createDeliveryStore(context, "node-1");
  const work = { kind: "devices", pending: createPendingDevices(["d1"], 0) } as const;
  const notification = createNotification(context, "ann");
  await store.accept([{ notification, lane: 0, work, idempotency: null, takeLease: false }]);
  const until = context.now() + LEASE_MS;
  const [job = assert.fail("Nothing is due.")] = await store.claim({ lane: 0, max: 1, until });
  const heldLease = new HeldLease(job.lease, context);
  const settle = async (settlement: Settlement) => {
    const [ack = assert.fail("The settlement has no result.")] = await store.settle([settlement]);
    return ack;
  };
  const suspect = { deviceId: "d0", crashes };
  const marks = new StepMarks({ ...context, settle }, { job: { ...job, suspect }, heldLease });
  const readMark = async () =>
    (await context.database.db.selectFrom("send_job").select("marked").execute())[0]?.marked;
  return { context, heldLease, marks, readMark };
}

test("a run counts the last crash and those before it until the count is reset", async (t) => {
  const { marks, readMark } = await setUp(t, 1);
  assert.equal(marks.crashes, 2);
  assert.equal(await marks.setMark("d1"), true);
  assert.equal(await readMark(), '["d1",2]');
  await marks.clearMark();
  assert.equal(await readMark(), null);
  marks.resetCrashes();
  await marks.setMark(null);
  assert.deepEqual([marks.crashes, await readMark()], [0, "[null,0]"]);
});

test("a step may not begin if the lease was lost or is about to end once it is marked", async (t) => {
  const { context, heldLease, marks } = await setUp(t, 0);
  context.clock.advance(LEASE_MS - 4_999);
  assert.equal(await marks.setMark("d1"), false);
  assert.equal(heldLease.signal.aborted, false);
  context.clock.advance(4_999);
  const second = createDeliveryStore(context, "node-2");
  await second.claim({ lane: 0, max: 1, until: context.now() + LEASE_MS });
  assert.equal(await marks.setMark("d1"), false);
  assert.equal(heldLease.signal.aborted, true);
});
