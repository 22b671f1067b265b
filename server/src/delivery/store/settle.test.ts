import assert from "node:assert/strict";
import test from "node:test";
import { ON_POSTGRES } from "../../../test/support/database.ts";
import { untilWaiting } from "../../../test/support/locks.ts";
import { notificationTo } from "../../../test/support/notifications.ts";
import { testContext } from "../../../test/support/room.ts";
import { dayOf, paceOf } from "../result/activity.ts";
import { addUp } from "./outcome-counters.ts";
import { untried, type DeliveryResult, type Lease } from "../delivery.ts";
import { createDeliveryStore } from "./create-store.ts";

test("a finished delivery is counted once for its day; a fenced one is not counted", async (t) => {
  const context = await testContext(t);
  const store = createDeliveryStore(context, "node");
  const notification = notificationTo(context, "ann");
  const work = { kind: "devices", pending: untried(["a", "b", "c"], 0) } as const;
  const request = { notification, lane: 0, work, idempotency: null, takeLease: true } as const;
  const [accepted] = await store.accept([request]);
  const lease = accepted?.kind === "accepted" ? accepted.job?.lease : undefined;
  assert.ok(lease !== undefined);
  const at = context.now() + 400;
  const outcome = { provider: "apns", state: "accepted", code: "accepted", detail: null } as const;
  const result = (deviceId: string): DeliveryResult => ({ deviceId, ...outcome, attempts: 1, at });
  const gone = { ...result("c"), state: "gone", code: "device_gone" } as const;
  const results = [result("a"), result("b"), gone];
  const next = { kind: "done" } as const;
  const base = { id: "end", lease, notificationId: notification.id };
  const settlement = { ...base, results, news: null, next };
  const fenced = { ...settlement, lease: { ...lease, epoch: lease.epoch + 1 } };
  assert.deepEqual(await store.settle([fenced]), ["fenced"]);
  const checkpoint = { kind: "checkpoint", pending: [], until: lease.until } as const;
  const first = { ...settlement, id: "first", results: [result("a")], next: checkpoint };
  const rest = { ...settlement, results: [result("b"), gone] };
  assert.deepEqual(await store.settle([first]), ["ok"]);
  // Submitted again because its response was lost, it adds nothing.
  assert.deepEqual(await store.settle([first]), ["ok"]);
  assert.deepEqual(await store.settle([rest]), ["ok"]);
  assert.deepEqual(await store.settle([rest]), ["fenced"]);
  assert.equal(await addUp(context, 2), 2);
  assert.equal(await addUp(context, 2), 1);
  const rows = await context.database.db
    .selectFrom("activity")
    .select(["audience_id", "day", "provider", "state", "code", "pace", "count"])
    .orderBy("state")
    .execute();
  const day = { audience_id: "ann", day: dayOf(context.now()), provider: "apns" };
  assert.deepEqual(rows, [
    { ...day, state: "accepted", code: "accepted", pace: paceOf(400), count: 2 },
    { ...day, state: "gone", code: "device_gone", pace: 0, count: 1 },
  ]);
});

test("in a batch of finished jobs, only jobs with a valid lease end", async (t) => {
  const context = await testContext(t);
  const store = createDeliveryStore(context, "node");
  const work = { kind: "devices", pending: untried(["a"], 0) } as const;
  const requests = Array.from({ length: 3 }, () => {
    const notification = notificationTo(context, "ann");
    return { notification, lane: 0, work, idempotency: null, takeLease: true } as const;
  });
  const accepted = await store.accept(requests);
  const leases = accepted.flatMap((result) =>
    result.kind === "accepted" && result.job ? [result.job.lease] : [],
  );
  const [first, reclaimed, last] = leases;
  assert.ok(first !== undefined && reclaimed !== undefined && last !== undefined);
  const done = (lease: Lease) => ({
    id: `end of ${lease.jobId} ${lease.epoch}`,
    lease,
    notificationId: "unknown",
    results: [],
    news: null,
    next: { kind: "done" } as const,
  });
  const nextEpoch = (lease: Lease) => ({ ...lease, epoch: lease.epoch + 1 });
  const acks = await store.settle([
    done(nextEpoch(first)),
    done(first),
    done(nextEpoch(reclaimed)),
    done(last),
  ]);
  assert.deepEqual(acks, ["fenced", "ok", "fenced", "ok"]);
  const remaining = await context.database.db.selectFrom("send_job").select("id").execute();
  assert.deepEqual(remaining, [{ id: reclaimed.jobId }]);
});

test("a claim in the middle of a settlement discards the settlement", ON_POSTGRES, async (t) => {
  const context = await testContext(t);
  const { db } = context.database;
  const store = createDeliveryStore(context, "node");
  const notification = notificationTo(context, "ann");
  const work = { kind: "devices", pending: untried(["a"], 0) } as const;
  const request = { notification, lane: 0, work, idempotency: null, takeLease: true } as const;
  const [accepted] = await store.accept([request]);
  const lease = accepted?.kind === "accepted" ? accepted.job?.lease : undefined;
  assert.ok(lease !== undefined);
  // Another node claims the job, and has not committed yet when the settlement begins.
  const claim = await db.startTransaction().execute();
  await claim.updateTable("send_job").set({ epoch: 2 }).where("id", "=", lease.jobId).execute();
  const outcome = { provider: "apns", state: "accepted", code: "accepted", detail: null } as const;
  const results = [{ deviceId: "a", ...outcome, attempts: 1, at: context.now() }];
  const base = { id: "end", lease, notificationId: notification.id };
  const settling = store.settle([{ ...base, results, news: null, next: { kind: "done" } }]);
  await untilWaiting(context);
  await claim.commit().execute();
  assert.deepEqual(await settling, ["fenced"]);
  for (const table of ["delivery_page", "activity_tally"] as const) {
    assert.deepEqual(await db.selectFrom(table).selectAll().execute(), []);
  }
});
