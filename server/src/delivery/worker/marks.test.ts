import assert from "node:assert/strict";
import test from "node:test";
import { notificationTo } from "../../../test/support/notifications.ts";
import { testContext } from "../../../test/support/room.ts";
import { untried, type LeasedJob } from "../delivery.ts";
import { LEASE_MS } from "../lease.ts";
import { createDeliveryStore } from "../store/create-store.ts";
import type { DeliveryStore, NextStep } from "../store/delivery-store.ts";

const MARK = { deviceId: "d1", deaths: 1 };

test("L11: a mark under which its process died makes a suspect, until what follows is recorded", async (t) => {
  const context = await testContext(t);
  const { clock, newId } = context;
  const one = createDeliveryStore(context, "node-1");
  const other = createDeliveryStore(context, "node-2");
  const pending = untried(["d1"], 0);
  const notification = notificationTo(context, "ann");
  const work = { kind: "devices", pending } as const;
  await one.accept([{ notification, lane: 0, work, idempotency: null, takeLease: false }]);
  const take = async (store: DeliveryStore): Promise<LeasedJob> => {
    const [job] = await store.claim({ lane: 0, max: 1, until: clock.now() + LEASE_MS });
    return job ?? assert.fail("Nothing is due.");
  };
  const settle = async ({ lease }: LeasedJob, next: NextStep) => {
    const of = { id: newId(), notificationId: notification.id, results: [], news: null };
    return (await one.settle([{ ...of, lease, next }]))[0];
  };
  const put = (job: LeasedJob) => settle(job, { kind: "mark", mark: MARK });

  assert.equal(await put(await take(one)), "ok");
  clock.advance(LEASE_MS);
  // The node that lost the lease and takes it again is not dead.
  const again = await take(one);
  assert.equal(again.suspect, null);
  await put(again);
  clock.advance(LEASE_MS);
  const taken = await take(other);
  assert.deepEqual(taken.suspect, MARK);
  assert.equal(await put(again), "fenced");
  assert.equal(await settle(taken, { kind: "mark", mark: null }), "ok");
  // A process that dies before it records anything is no second death at the same step.
  await one.reclaim(["node-2"]);
  const reclaimed = await take(one);
  assert.deepEqual(reclaimed.suspect, MARK);
  await one.release([reclaimed.lease], clock.now());
  const released = await take(one);
  assert.deepEqual(released.suspect, MARK);
  await settle(released, { kind: "retry", pending, at: clock.now(), waitsFor: [] });
  const retried = await take(one);
  assert.equal(retried.suspect, null);
  await put(retried);
  await one.recover();
  assert.deepEqual((await take(other)).suspect, MARK);
});
