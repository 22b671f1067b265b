import { sql, type Kysely } from "kysely";
import type { Context } from "#context.ts";
import {
  castToBigint,
  castToText,
  compileOnce,
  compileOncePerRowCount,
} from "#database/compile-once.ts";
import type { Compilable } from "#database/database.ts";
import type { Schema } from "#database/schema.ts";
import { runUntilCertain } from "#database/run-until-certain.ts";
import { recordDeviceUpdatesQueries } from "#devices/store/device-state.ts";
import type { Settlement, SettleAck } from "./delivery-store.ts";
import { encodeMark, toWorkColumns } from "./rows.ts";
import { encodeCounts, encodePending, encodeResults } from "./tuples.ts";
import { createCountStatements } from "./outcome-counters.ts";
import { createEndedCheck, createEndJobStatements, type LeaseKey } from "./end-jobs.ts";

/**
 * Returns a `settle` that runs statements. Every statement of a settlement except those of device states checks the
 * lease, and the job itself is updated last. No other node can claim the job in between, so either all these statements
 * see the lease or none does. Finished jobs are deleted together at the end.
 */
export function createSettleByStatements(context: Context) {
  return async (batch: readonly Settlement[]): Promise<readonly SettleAck[]> => {
    const planned = batch.map((settlement) => [
      ...createPageStatements(context, settlement),
      ...createChunkStatements(context, settlement),
      ...createDeviceCountStatements(context, settlement),
      ...createWaitStatements(context, settlement),
      ...createTransitionStatements(context, settlement),
    ]);
    const updates = batch.flatMap(({ deviceStateUpdate }) => deviceStateUpdate ?? []);
    const lockAndCountStatements = [
      ...createLockStatements(context, batch),
      ...createCountStatements(context, batch),
    ];
    const jobStatements = [...lockAndCountStatements, ...planned.flat()];
    const endStatements = [
      ...createEndJobStatements(context, batch),
      ...recordDeviceUpdatesQueries(context, updates),
    ];
    const results = await runUntilCertain(() =>
      context.database.atomically([...jobStatements, ...endStatements]),
    );
    const isEnded = createEndedCheck(results[jobStatements.length]);
    let position = lockAndCountStatements.length - 1;
    return batch.map(({ next, lease }, index) => {
      position += planned[index]?.length ?? 0;
      const isHeldByUs =
        next.kind === "done" ? isEnded(lease) : results[position]?.rows.length === 1;
      return isHeldByUs ? "ok" : "fenced";
    });
  };
}

/**
 * Returns the statement that locks the jobs on PostgreSQL, where each statement sees everything that was committed
 * before it; none on SQLite. Without the lock, another node could claim a job in between, and we would keep results of
 * a settlement that we report as fenced. All nodes lock jobs in the same order, so that they cannot deadlock.
 */
function createLockStatements(
  { database: { db, engine } }: Context,
  batch: readonly Settlement[],
): Compilable[] {
  if (engine.lockRows === null) return [];
  const ids = batch.map(({ lease }) => lease.jobId);
  const query = db.selectFrom("send_job").select("id").where("id", "in", ids).orderBy("id");
  return [query.modifyEnd(engine.lockRows)];
}

/** Returns the statement that inserts the results of a job as a page of the delivery log; none without results. */
function createPageStatements(
  { database: { db }, now }: Context,
  settlement: Settlement,
): Compilable[] {
  const { id, notificationId, lease, results } = settlement;
  if (results.length === 0) return [];
  const { jobId, epoch } = lease;
  const encoded = { results: encodeResults(results), counts: encodeCounts(results) };
  return [insertPage(db, { notificationId, id, at: now(), jobId, epoch, ...encoded })];
}

type DeliveryPage = LeaseKey & {
  readonly notificationId: string;
  readonly id: string;
  readonly at: number;
  readonly results: string;
  readonly counts: string;
};

const insertPage = compileOnce<DeliveryPage>((db, page) => {
  const query = sql`
    insert into delivery_page (notification_id, id, created_at, results, counts)
    select ${castToText(page.notificationId)}, ${castToText(page.id)}, ${castToBigint(page.at)},
      ${castToText(page.results)}, ${castToText(page.counts)}
    where ${isLeaseHeld(page)}
    on conflict do nothing`;
  return { compile: () => query.compile(db) };
});

/** Returns the statements that insert the chunks of a large audience, which are immediately due for any node. */
function createChunkStatements(
  { database: { db }, newId, now }: Context,
  settlement: Settlement,
): Compilable[] {
  const { next } = settlement;
  if (next.kind !== "expand") return [];
  return next.chunks.map((range) => {
    const { kind, range_after, range_up_to } = toWorkColumns({ kind: "range", range });
    const query = sql`
      insert into send_job (id, notification_id, lane, kind, range_after, range_up_to, pending,
        run_at, epoch, crashes, owner, expires_at)
      select ${castToText(newId())}, notification_id, lane, ${castToText(kind)}, ${castToText(range_after)},
        ${castToText(range_up_to)}, null, ${castToBigint(now())}, 1, 0, '', expires_at
      from send_job where ${isAtCursor(settlement, next.from)}`;
    return { compile: () => query.compile(db) };
  });
}

/**
 * Returns the statement that adds the devices of the chunks to the notification's device count, which was unknown when
 * the notification was accepted.
 */
function createDeviceCountStatements(
  { database: { db } }: Context,
  settlement: Settlement,
): Compilable[] {
  const { next, notificationId } = settlement;
  if (next.kind !== "expand") return [];
  const query = db
    .updateTable("notification")
    .set({ device_count: sql<number>`coalesce(device_count, 0) + ${next.deviceCount}` })
    .where("id", "=", notificationId)
    .where(
      sql<boolean>`exists (select 1 from send_job where ${isAtCursor(settlement, next.from)})`,
    );
  return [query];
}

/**
 * Returns the statements that replace the waits of a job at a retry. The waits that an ended job leaves behind make
 * nothing due.
 */
function createWaitStatements({ database: { db } }: Context, settlement: Settlement): Compilable[] {
  const { next, lease } = settlement;
  if (next.kind !== "retry") return [];
  const { jobId, epoch } = lease;
  const deletion = deleteWaits(db, { jobId, epoch });
  const [first, ...others] = next.waitsFor.map((service) => ({ jobId, epoch, service }));
  return first === undefined ? [deletion] : [deletion, insertWaits(db, [first, ...others])];
}

type JobWait = LeaseKey & { readonly service: string };

/** Inserts all waits of a job with one statement: a job may wait for hundreds of apps. */
const insertWaits = compileOncePerRowCount<JobWait>((db, waits) => {
  const [{ jobId, epoch }] = waits;
  const rows = waits.map(({ service }) => sql`(${castToText(service)})`);
  const query = sql`
    insert into send_job_wait (job_id, service)
    select ${castToText(jobId)}, services.column1 from (values ${sql.join(rows)}) as services
    where ${isLeaseHeld({ jobId, epoch })}`;
  return { compile: () => query.compile(db) };
});

const deleteWaits = compileOnce<LeaseKey>((db, lease) =>
  db.deleteFrom("send_job_wait").where("job_id", "=", lease.jobId).where(isLeaseHeld(lease)),
);

/** Returns the statements that update the job for its next step. Each statement returns the row if the lease holds. */
function createTransitionStatements(
  { database: { db } }: Context,
  { lease, next }: Settlement,
): Compilable[] {
  const { jobId, epoch } = lease;
  switch (next.kind) {
    case "done":
      return [];
    case "checkpoint":
      return [
        updatePending(db, {
          jobId,
          epoch,
          pending: encodePending(next.pending),
          runAt: next.until,
        }),
      ];
    case "retry":
      return [
        releaseJob(db, { jobId, epoch, pending: encodePending(next.pending), runAt: next.at }),
      ];
    case "expand":
      return [
        updateLeasedJob(db, { jobId, epoch }).set({
          kind: "expand",
          range_after: next.cursor,
          pending: null,
          run_at: next.until,
          ...UNMARKED_JOB,
        }),
      ];
    case "mark": {
      const marked = next.mark === null ? null : encodeMark(next.mark);
      return [updateLeasedJob(db, { jobId, epoch }).set({ marked })];
    }
  }
}

type PendingJob = LeaseKey & {
  readonly pending: string;
  readonly runAt: number;
};

/** Clears the marks: the pending devices already hold their crash counts, and the next step gets a new mark. */
const UNMARKED_JOB = { marked: null, suspected: null };

const updatePending = compileOnce<PendingJob>((db, job) =>
  updateLeasedJob(db, job).set({ pending: job.pending, run_at: job.runAt, ...UNMARKED_JOB }),
);

const releaseJob = compileOnce<PendingJob>((db, job) =>
  updateLeasedJob(db, job).set({
    pending: job.pending,
    run_at: job.runAt,
    owner: "",
    ...UNMARKED_JOB,
  }),
);

function updateLeasedJob(db: Kysely<Schema>, { jobId, epoch }: LeaseKey) {
  return db
    .updateTable("send_job")
    .where("id", "=", jobId)
    .where("epoch", "=", epoch)
    .returning("id");
}

function isLeaseHeld({ jobId, epoch }: LeaseKey) {
  return sql<boolean>`exists (select 1 from send_job where id = ${jobId} and epoch = ${epoch})`;
}

/** Matches the job until its cursor moves, so that a repeated step adds nothing. */
function isAtCursor({ lease: { jobId, epoch } }: Settlement, cursor: string) {
  return sql<boolean>`id = ${jobId} and epoch = ${epoch} and pending is null and range_after = ${cursor}`;
}
