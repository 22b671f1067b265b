import assert from "node:assert/strict";
import test from "node:test";
import { ON_POSTGRES } from "../../../test/support/database.ts";
import { waitForLockWaiters } from "../../../test/support/lock-waiters.ts";
import { createNotification } from "../../../test/support/notifications.ts";
import { createRoomContext } from "../../../test/support/context.ts";
import { createPendingDevices } from "../delivery.ts";
import { createDeliveryStore } from "./create-store.ts";

const HOUR_MS = 3_600_000;

test("a release keeps a wait that another node records meanwhile", ON_POSTGRES, async (t) => {
  const context = await createRoomContext(t);
  const { db } = context.database;
  const store = createDeliveryStore(context, "node");
  const pending = createPendingDevices(["a"], 0);
  const work = { kind: "devices", pending } as const;
  const requests = Array.from({ length: 2 }, () => {
    const notification = createNotification(context, "ann");
    return { notification, lane: 0, work, idempotency: null, takeLease: true } as const;
  });
  const accepted = await store.accept(requests);
  const [first, second] = accepted.flatMap((result) =>
    result.kind === "accepted" && result.job !== null ? [result.job] : [],
  );
  assert.ok(first !== undefined && second !== undefined);
  const retryAt = context.now() + HOUR_MS;
  const next = { kind: "retry", pending, at: retryAt, waitsFor: ["fcm"] } as const;
  const settleAsWaiting = ({ lease, notification }: typeof first) =>
    store.settle([
      {
        id: context.newId(),
        lease,
        notificationId: notification.id,
        results: [],
        deviceStateUpdate: null,
        next,
      },
    ]);
  await settleAsWaiting(first);
  // A transaction locks the job that is released until another node has recorded a wait.
  const locking = await db.startTransaction().execute();
  await locking
    .updateTable("send_job")
    .set({ lane: 1 })
    .where("id", "=", first.lease.jobId)
    .execute();
  const releasing = store.releaseWaiting({ service: "fcm", max: 10 });
  await waitForLockWaiters(context);
  assert.deepEqual(await settleAsWaiting(second), ["ok"]);
  await locking.commit().execute();
  assert.deepEqual(await releasing, { deviceCount: 1, isComplete: true });
  const waits = await db.selectFrom("send_job_wait").select("job_id").execute();
  assert.deepEqual(waits, [{ job_id: second.lease.jobId }]);
  assert.deepEqual(await store.releaseWaiting({ service: "fcm", max: 10 }), {
    deviceCount: 1,
    isComplete: true,
  });
  assert.deepEqual(await store.listAwaitedServices(1), []);
});
