import assert from "node:assert/strict";
import test from "node:test";
import { ON_POSTGRES } from "../../../test/support/database.ts";
import { untilWaiting } from "../../../test/support/locks.ts";
import { notificationTo } from "../../../test/support/notifications.ts";
import { testContext } from "../../../test/support/room.ts";
import { untried } from "../delivery.ts";
import { createDeliveryStore } from "./create-store.ts";

test(
  "a wait that another node records in the middle of a release is kept",
  ON_POSTGRES,
  async (t) => {
    const context = await testContext(t);
    const { db } = context.database;
    const store = createDeliveryStore(context, "node");
    const pending = untried(["a"], 0);
    const work = { kind: "devices", pending } as const;
    const requests = Array.from({ length: 2 }, () => {
      const notification = notificationTo(context, "ann");
      return { notification, lane: 0, work, idempotency: null, takeLease: true } as const;
    });
    const accepted = await store.accept(requests);
    const [one, other] = accepted.flatMap((job) =>
      job.kind === "accepted" && job.job !== null ? [job.job] : [],
    );
    assert.ok(one !== undefined && other !== undefined);
    const later = context.now() + 3_600_000;
    const next = { kind: "retry", pending, at: later, waitsFor: ["fcm"] } as const;
    const sleep = ({ lease, notification }: typeof one) =>
      store.settle([
        {
          id: context.newId(),
          lease,
          notificationId: notification.id,
          results: [],
          news: null,
          next,
        },
      ]);
    await sleep(one);
    // Somebody holds what is released, until another node has recorded a wait.
    const held = await db.startTransaction().execute();
    await held.updateTable("send_job").set({ lane: 1 }).where("id", "=", one.lease.jobId).execute();
    const waking = store.releaseWaiting({ service: "fcm", max: 10 });
    await untilWaiting(context);
    assert.deepEqual(await sleep(other), ["ok"]);
    await held.commit().execute();
    assert.deepEqual(await waking, { devices: 1, isAll: true });
    const waits = await db.selectFrom("send_job_wait").select("job_id").execute();
    assert.deepEqual(waits, [{ job_id: other.lease.jobId }]);
    assert.deepEqual(await store.releaseWaiting({ service: "fcm", max: 10 }), {
      devices: 1,
      isAll: true,
    });
    assert.deepEqual(await store.waitedFor(1), []);
  },
);
