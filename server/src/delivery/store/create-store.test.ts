import assert from "node:assert/strict";
import test from "node:test";
import { sql } from "kysely";
import { ON_POSTGRES, ON_SQLITE } from "../../../test/support/database.ts";
import {
  updateStatistics,
  explainOnPostgres,
  type PlanStep,
  withEveryPlan,
  recordQueries,
} from "../../../test/support/query-plans.ts";
import { createRoomContext } from "../../../test/support/context.ts";
import { LANES } from "../delivery.ts";
import { LEASE_MS } from "../lease.ts";
import { createDeliveryStore } from "./create-store.ts";

const OWNER = "node-1";
const HOUR_MS = 3_600_000;

test("claims and probes take at most their limit of jobs with every query plan", async (t) => {
  const context = await createRoomContext(t);
  const now = context.now();
  const { db } = context.database;
  const names = ["a", "b", "c", "d", "e", "f"];
  await db
    .insertInto("send_job")
    .values(
      names.flatMap((name) => [
        createJobRow(`due ${name}`, now),
        createJobRow(`waits ${name}`, now + 1_000),
      ]),
    )
    .execute();
  await db
    .insertInto("send_job_wait")
    .values(names.map((name) => ({ job_id: `waits ${name}`, service: "fcm" })))
    .execute();
  await withEveryPlan(context, async (planned) => {
    const store = createDeliveryStore(planned, OWNER);
    const leased = planned.database.db
      .selectFrom("send_job")
      .select("id")
      .where("owner", "=", OWNER);
    assert.equal(await store.makeProbesDue("fcm", 2), 2);
    await store.claim({ lane: 0, max: 1, until: now + LEASE_MS });
    assert.deepEqual(await leased.execute(), [{ id: "due a" }]);
    await store.claim({ lane: 0, max: 3, until: now + LEASE_MS });
    assert.equal((await leased.execute()).length, 4);
  });
});

test("waiting jobs are released and made due in steps that skip no job", async (t) => {
  const context = await createRoomContext(t);
  const { database, clock } = context;
  const store = createDeliveryStore(context, OWNER);
  const ids = ["a", "b", "c"].map((name) => `waits ${name}`);
  const jobs = ids.map((id) => createJobRow(id, clock.now() + HOUR_MS));
  await database.db.insertInto("send_job").values(jobs).execute();
  const waits = [...ids, "ended"].map((job_id) => ({ job_id, service: "fcm" }));
  await database.db.insertInto("send_job_wait").values(waits).execute();
  const input = { service: "fcm", max: 2 };
  // The leftover wait of an ended job comes first and counts as 0 devices.
  assert.deepEqual(await store.releaseWaiting(input), { deviceCount: 2, isComplete: false });
  assert.equal((await store.getQueueStats()).due, 2);
  assert.deepEqual(await store.releaseWaiting(input), { deviceCount: 1, isComplete: true });
  assert.equal((await store.getQueueStats()).due, 3);
  clock.advance(-HOUR_MS);
  assert.deepEqual(await store.makeWaitingJobsDue({ after: "", max: 2 }), {
    count: 2,
    lastId: "waits b",
  });
  // A job that waits again is not made due twice.
  clock.advance(-HOUR_MS);
  const last = { after: "waits b", max: 2 };
  assert.deepEqual(await store.makeWaitingJobsDue(last), { count: 1, lastId: "waits c" });
  assert.deepEqual(await store.makeWaitingJobsDue(last), { count: 0, lastId: "waits b" });
});

/** Returns a job row without an owner. */
function createJobRow(id: string, runAt: number) {
  return {
    id,
    notification_id: "n",
    lane: 0,
    kind: "deliver" as const,
    range_after: "",
    range_up_to: "",
    pending: null,
    run_at: runAt,
    expires_at: runAt + HOUR_MS,
    epoch: 0,
    crashes: 0,
    owner: "",
  };
}

test("the jobs that wait for a service are found by their index", ON_SQLITE, async (t) => {
  const { database } = await createRoomContext(t);
  const waiting = sql`
    update send_job set run_at = 1 where owner = '' and id in (select job_id from send_job_wait where service = 'fcm')`;
  const plan = await sql<{ detail: string }>`explain query plan ${waiting}`.execute(database.db);
  assert.match(plan.rows.map(({ detail }) => detail).join("; "), /send_job_wait_service/);
});

test("a claim reads due jobs by their index, without sorting", ON_SQLITE, async (t) => {
  const { database } = await createRoomContext(t);
  const due = sql`select id from send_job where lane = 0 and run_at <= 1 order by run_at, id limit 5`;
  const plan = await sql<{ detail: string }>`explain query plan ${due}`.execute(database.db);
  const details = plan.rows.map(({ detail }) => detail).join("; ");
  assert.match(details, /send_job_due/);
  assert.doesNotMatch(details, /TEMP B-TREE/);
});

test(
  "due jobs and waiting jobs are found by their indexes among many others",
  ON_POSTGRES,
  async (t) => {
    const context = await createRoomContext(t);
    const { db } = context.database;
    await sql`insert into send_job select 'j' || n, 'n' || n, n % 3, 'deliver', '', '', null, n, 1, 0, '', 0
    from generate_series(1, 6000) n`.execute(db);
    await sql`insert into send_job_wait select 'j' || n, 'service ' || n % 100
    from generate_series(1, 6000) n`.execute(db);
    await updateStatistics(context);
    const { context: recorded, captureQueries } = recordQueries(context);
    const store = createDeliveryStore(recorded, OWNER);
    const until = context.now() + 1;
    const operations: Record<string, () => Promise<unknown>> = {
      send_job_due: () => store.claim({ lane: 0, max: 5, until }),
      send_job_wait_service: () => store.releaseWaiting({ service: "service 1", max: 10 }),
      send_job_wait_service_probe: () => store.makeProbesDue("service 2", 1),
    };
    for (const [name, operation] of Object.entries(operations)) {
      const plan = await explainOnPostgres(context, await captureQueries(operation));
      const indexes = plan.map(({ index }) => index ?? "");
      assert.ok(
        indexes.some((index) => index !== "" && name.startsWith(index)),
        `${name}: ${indexes.join()}`,
      );
      for (const { kind, rows } of plan) assert.ok(!kind.endsWith("Sort") || rows <= 100, name);
      const pages = Math.max(...plan.map((step) => step.pages));
      assert.ok(pages < 1_000, `${name} touches ${pages} pages`);
      t.diagnostic(`${name}: ${pages} pages`);
    }
  },
);

test(
  "a claim reads few pages while an open transaction keeps deleted jobs in the index",
  ON_POSTGRES,
  async (t) => {
    const context = await createRoomContext(t);
    const { db } = context.database;
    const { context: recorded, captureQueries } = recordQueries(context);
    const store = createDeliveryStore(recorded, OWNER);
    const until = context.now() + LEASE_MS;
    const claim = async (): Promise<unknown> => {
      for (const lane of LANES) await store.claim({ lane, max: 5, until });
      return store.findNextDueAt();
    };
    await claim();
    const open = await db.startTransaction().setIsolationLevel("repeatable read").execute();
    let plan: readonly PlanStep[];
    try {
      await sql`select 1 from send_job`.execute(open);
      await sql`insert into send_job
        select 'j' || n, 'n' || n, n % 3, 'deliver', '', '', null, ${context.now()}::bigint - 60000 + n, 1, 0, '', 0
        from generate_series(1, 20000) n`.execute(db);
      await sql`delete from send_job`.execute(db);
      await updateStatistics(context);
      plan = await explainOnPostgres(context, await captureQueries(claim));
    } finally {
      await open.rollback().execute();
    }
    const pages = Math.max(...plan.map((step) => step.pages));
    t.diagnostic(`${pages} pages`);
    assert.ok(pages < 50, `${pages} pages`);
  },
);

test("a job that was due before the last claim is found within a minute", async (t) => {
  const context = await createRoomContext(t);
  const { clock, database } = context;
  const store = createDeliveryStore(context, OWNER);
  const claim = async () => store.claim({ lane: 0, max: 5, until: clock.now() + LEASE_MS });
  for (const lane of LANES) await store.claim({ lane, max: 5, until: clock.now() + LEASE_MS });
  const dueAt = clock.now() - HOUR_MS;
  await database.db.insertInto("send_job").values(createJobRow("late", dueAt)).execute();
  const isMarkEnabled = database.engine.keepsDeletedRows;
  assert.equal(await store.findNextDueAt(), isMarkEnabled ? null : dueAt);
  clock.advance(60_000);
  // `findNextDueAt` has to find it: without another job, no node would claim.
  assert.equal(await store.findNextDueAt(), dueAt);
  await claim();
  const { owner } = await database.db
    .selectFrom("send_job")
    .select("owner")
    .executeTakeFirstOrThrow();
  assert.equal(owner, OWNER);
});
