import assert from "node:assert/strict";
import test from "node:test";
import { ON_POSTGRES } from "../../../test/support/database.ts";
import { waitForLockWaiters } from "../../../test/support/lock-waiters.ts";
import { createNotification } from "../../../test/support/notifications.ts";
import { createRoomContext } from "../../../test/support/context.ts";
import { createDeliveryStore } from "./create-store.ts";
import { removeNotifications } from "./retention.ts";

test(
  "a job that another node expands meanwhile is removed with its chunks",
  ON_POSTGRES,
  async (t) => {
    const context = await createRoomContext(t);
    const { db } = context.database;
    const notification = createNotification(context, "ann");
    const work = { kind: "expand", range: { after: "", upTo: "" } } as const;
    const request = { notification, lane: 2, work, idempotency: null, takeLease: true } as const;
    await createDeliveryStore(context, "node").accept([request]);
    const expanding = await db.startTransaction().execute();
    const job = await expanding
      .updateTable("send_job")
      .set({ range_after: "m" })
      .returningAll()
      .executeTakeFirstOrThrow();
    await expanding
      .insertInto("send_job")
      .values({ ...job, id: context.newId(), kind: "deliver", owner: "" })
      .execute();
    const removing = removeNotifications(context, {
      ids: [notification.id],
      extraStatements: [],
    });
    await waitForLockWaiters(context);
    await expanding.commit().execute();
    await removing;
    assert.deepEqual(await db.selectFrom("send_job").selectAll().execute(), []);
  },
);
