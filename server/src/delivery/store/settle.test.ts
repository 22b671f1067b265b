import assert from "node:assert/strict";
import test from "node:test";
import { ON_POSTGRES } from "../../../test/support/database.ts";
import { waitForLockWaiters } from "../../../test/support/lock-waiters.ts";
import { createNotification } from "../../../test/support/notifications.ts";
import { createRoomContext } from "../../../test/support/context.ts";
import { toDay, toPace } from "../result/activity.ts";
import { addUpCounts } from "./outcome-counters.ts";
import { createPendingDevices, type DeliveryResult, type Lease } from "../delivery.ts";
import { createDeliveryStore } from "./create-store.ts";

test("a finished delivery is counted once for its day; a fenced one is not counted", async (t) => {
  const context = await createRoomContext(t);
  const store = createDeliveryStore(context, "node");
  const notification = createNotification(context, "ann");
  const work = { kind: "devices", pending: createPendingDevices(["a", "b", "c"], 0) } as const;
  const request = { notification, lane: 0, work, idempotency: null, takeLease: true } as const;
  const [accepted] = await store.accept([request]);
  const lease = accepted?.kind === "accepted" ? accepted.job?.lease : undefined;
  assert.ok(lease !== undefined);
  const at = context.now() + 400;
  const outcome = { provider: "apns", state: "accepted", code: "accepted", detail: null } as const;
  const createResult = (deviceId: string): DeliveryResult => ({
    deviceId,
    ...outcome,
    attempts: 1,
    at,
  });
  const goneResult = { ...createResult("c"), state: "gone", code: "device_gone" } as const;
  const results = [createResult("a"), createResult("b"), goneResult];
  const next = { kind: "done" } as const;
  const baseSettlement = { id: "end", lease, notificationId: notification.id };
  const settlement = { ...baseSettlement, results, deviceStateUpdate: null, next };
  const fenced = { ...settlement, lease: { ...lease, epoch: lease.epoch + 1 } };
  assert.deepEqual(await store.settle([fenced]), ["fenced"]);
  const checkpoint = { kind: "checkpoint", pending: [], until: lease.until } as const;
  const firstSettlement = {
    ...settlement,
    id: "first",
    results: [createResult("a")],
    next: checkpoint,
  };
  const lastSettlement = { ...settlement, results: [createResult("b"), goneResult] };
  assert.deepEqual(await store.settle([firstSettlement]), ["ok"]);
  // A node submits a settlement again if the response was lost. The second one must add nothing.
  assert.deepEqual(await store.settle([firstSettlement]), ["ok"]);
  assert.deepEqual(await store.settle([lastSettlement]), ["ok"]);
  assert.deepEqual(await store.settle([lastSettlement]), ["fenced"]);
  assert.equal(await addUpCounts(context, 2), 2);
  assert.equal(await addUpCounts(context, 2), 1);
  const rows = await context.database.db
    .selectFrom("activity")
    .select(["audience_id", "day", "provider", "state", "code", "pace", "count"])
    .orderBy("state")
    .execute();
  const commonColumns = { audience_id: "ann", day: toDay(context.now()), provider: "apns" };
  assert.deepEqual(rows, [
    { ...commonColumns, state: "accepted", code: "accepted", pace: toPace(400), count: 2 },
    { ...commonColumns, state: "gone", code: "device_gone", pace: 0, count: 1 },
  ]);
});

test("a batch of finished jobs ends only the jobs with a valid lease", async (t) => {
  const context = await createRoomContext(t);
  const store = createDeliveryStore(context, "node");
  const work = { kind: "devices", pending: createPendingDevices(["a"], 0) } as const;
  const requests = Array.from({ length: 3 }, () => {
    const notification = createNotification(context, "ann");
    return { notification, lane: 0, work, idempotency: null, takeLease: true } as const;
  });
  const accepted = await store.accept(requests);
  const leases = accepted.flatMap((result) =>
    result.kind === "accepted" && result.job ? [result.job.lease] : [],
  );
  const [first, reclaimed, last] = leases;
  assert.ok(first !== undefined && reclaimed !== undefined && last !== undefined);
  const createDoneSettlement = (lease: Lease) => ({
    id: `end of ${lease.jobId} ${lease.epoch}`,
    lease,
    notificationId: "unknown",
    results: [],
    deviceStateUpdate: null,
    next: { kind: "done" } as const,
  });
  const addEpoch = (lease: Lease) => ({ ...lease, epoch: lease.epoch + 1 });
  const acks = await store.settle([
    createDoneSettlement(addEpoch(first)),
    createDoneSettlement(first),
    createDoneSettlement(addEpoch(reclaimed)),
    createDoneSettlement(last),
  ]);
  assert.deepEqual(acks, ["fenced", "ok", "fenced", "ok"]);
  const remaining = await context.database.db.selectFrom("send_job").select("id").execute();
  assert.deepEqual(remaining, [{ id: reclaimed.jobId }]);
});

test("the results of a batch are summed up per audience, and a repeated page is not counted", async (t) => {
  const context = await createRoomContext(t);
  const store = createDeliveryStore(context, "node");
  const work = { kind: "devices", pending: createPendingDevices(["a"], 0) } as const;
  const requests = ["ann", "bob", "ann", "ann"].map((accountId) => {
    const notification = createNotification(context, accountId);
    return { notification, lane: 0, work, idempotency: null, takeLease: true } as const;
  });
  const outcome = { provider: "apns", state: "accepted", code: "accepted", detail: null } as const;
  const settlements = (await store.accept(requests)).flatMap((accepted, index) => {
    const job = accepted.kind === "accepted" ? accepted.job : null;
    if (job === null) return [];
    const results = [{ deviceId: "a", ...outcome, attempts: 1, at: job.notification.createdAt }];
    const base = { id: `page ${index}`, lease: job.lease, notificationId: job.notification.id };
    return [{ ...base, results, deviceStateUpdate: null, next: { kind: "done" } as const }];
  });
  const [first] = settlements;
  assert.ok(first !== undefined && settlements.length === 4);
  const next = { kind: "checkpoint", pending: [], until: first.lease.until } as const;
  assert.deepEqual(await store.settle([{ ...first, next }]), ["ok"]);
  assert.deepEqual(await store.settle(settlements), ["ok", "ok", "ok", "ok"]);
  const counts = await context.database.db
    .selectFrom("activity_tally")
    .select(["audience_id", "count"])
    .orderBy("id")
    .execute();
  assert.deepEqual(
    counts.toSorted((one, other) => one.count - other.count),
    [
      { audience_id: "ann", count: 1 },
      { audience_id: "bob", count: 1 },
      { audience_id: "ann", count: 2 },
    ],
  );
  const pages = await context.database.db.selectFrom("delivery_page").select("id").execute();
  assert.equal(pages.length, 4);
});

test("a claim in the middle of a settlement discards the settlement", ON_POSTGRES, async (t) => {
  const context = await createRoomContext(t);
  const { db } = context.database;
  const store = createDeliveryStore(context, "node");
  const notification = createNotification(context, "ann");
  const work = { kind: "devices", pending: createPendingDevices(["a"], 0) } as const;
  const request = { notification, lane: 0, work, idempotency: null, takeLease: true } as const;
  const [accepted] = await store.accept([request]);
  const lease = accepted?.kind === "accepted" ? accepted.job?.lease : undefined;
  assert.ok(lease !== undefined);
  // Another node claims the job, and has not committed yet when the settlement begins.
  const claimTransaction = await db.startTransaction().execute();
  await claimTransaction
    .updateTable("send_job")
    .set({ epoch: 2 })
    .where("id", "=", lease.jobId)
    .execute();
  const outcome = { provider: "apns", state: "accepted", code: "accepted", detail: null } as const;
  const results = [{ deviceId: "a", ...outcome, attempts: 1, at: context.now() }];
  const baseSettlement = { id: "end", lease, notificationId: notification.id };
  const settling = store.settle([
    { ...baseSettlement, results, deviceStateUpdate: null, next: { kind: "done" } },
  ]);
  await waitForLockWaiters(context);
  await claimTransaction.commit().execute();
  assert.deepEqual(await settling, ["fenced"]);
  for (const table of ["delivery_page", "activity_tally"] as const) {
    assert.deepEqual(await db.selectFrom(table).selectAll().execute(), []);
  }
});
