import { sql } from "kysely";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import { LANES, type Lease } from "../delivery.ts";
import type { DeliveryStore, QueueStats } from "./delivery-store.ts";
import { createAccept } from "./accept.ts";
import { createClaimMethods } from "./claim.ts";
import { endOverlongLeases } from "./displaced-jobs.ts";
import { LEASE_AHEAD_MAX_MS } from "../lease.ts";
import { createSettle } from "./settle.ts";
import { endWaitsQueries, makeProbesDue, releaseWaiting, listAwaitedServices } from "./waiting.ts";

/** Returns the queue in the database, for the node `owner`. */
export function createDeliveryStore(context: Context, owner: string): DeliveryStore {
  return {
    accept: createAccept(context, owner),
    settle: createSettle(context),
    ...createClaimMethods(context, owner),
    renew: (leases, until) => renew(context, leases, until),
    releaseLeases: (leases, at) => releaseLeases(context, leases, at),
    releaseWaiting: (input) => releaseWaiting(context, input),
    async endWaits(services) {
      await context.database.atomically(endWaitsQueries(context, services));
    },
    makeProbesDue: (service, max) => makeProbesDue(context, service, max),
    recover: () => recover(context),
    reclaim: (owners) => reclaim(context, owners),
    endOverlongLeases: () => endOverlongLeases(context),
    listAwaitedServices: (max) => listAwaitedServices(context, max),
    getQueueStats: () => readQueueStats(context),
  };
}

async function renew(
  { database }: Context,
  leases: readonly Lease[],
  until: number,
): Promise<readonly string[]> {
  const ordered = sortByJobId(leases);
  const results = await database.atomically(
    ordered.map(({ jobId, epoch }) =>
      database.db
        .updateTable("send_job")
        .set({ run_at: until })
        .where("id", "=", jobId)
        .where("epoch", "=", epoch)
        .where("owner", "<>", "")
        .returning("id"),
    ),
  );
  return ordered.flatMap(({ jobId }, index) => (results[index]?.rows.length === 1 ? [] : [jobId]));
}

async function releaseLeases(
  { database }: Context,
  leases: readonly Lease[],
  at: number,
): Promise<void> {
  if (leases.length === 0) return;
  await database.atomically(
    sortByJobId(leases).map(({ jobId, epoch }): Compilable =>
      database.db
        .updateTable("send_job")
        .set({ run_at: at, owner: "" })
        .where("id", "=", jobId)
        .where("epoch", "=", epoch),
    ),
  );
}

/**
 * Sorts leases by job id, the order in which settlements lock jobs, so that concurrent transactions cannot deadlock.
 */
function sortByJobId(leases: readonly Lease[]): readonly Lease[] {
  return leases.toSorted((a, b) => (a.jobId < b.jobId ? -1 : 1));
}

/** New column values of a job whose process died. An earlier suspect stays until a run records its next step. */
const ABANDONED_JOB = {
  owner: "",
  crashes: sql<number>`crashes + 1`,
  suspected: sql<string | null>`coalesce(marked, suspected)`,
  marked: null,
};

async function recover({ database: { db }, now }: Context): Promise<number> {
  const abandoned = await db
    .updateTable("send_job")
    .set({ run_at: now(), ...ABANDONED_JOB })
    .where("owner", "<>", "")
    .returning("id")
    .execute();
  return abandoned.length;
}

/** Searches only jobs whose `run_at` is near: a lease ends soon, while a waiting job may be due much later. */
async function reclaim(context: Context, owners: readonly string[]): Promise<number> {
  const { database, now } = context;
  const rows = await database.db
    .updateTable("send_job")
    .set({ run_at: now(), ...ABANDONED_JOB })
    .where("lane", "in", LANES)
    .where("run_at", "<=", now() + LEASE_AHEAD_MAX_MS)
    .where("owner", "in", owners)
    .returning("id")
    .execute();
  return rows.length;
}

async function readQueueStats({ database: { db }, now }: Context): Promise<QueueStats> {
  const at = now();
  const row = await db
    .selectFrom("send_job")
    .select((eb) => [
      eb.fn.countAll<number>().as("jobs"),
      eb.fn.sum<number | null>(eb.case().when("run_at", "<=", at).then(1).else(0).end()).as("due"),
      eb.fn.min<number | null>("run_at").as("oldest"),
    ])
    .executeTakeFirstOrThrow();
  const oldestDueMs = row.oldest === null ? 0 : Math.max(0, at - row.oldest);
  return { jobs: row.jobs, due: row.due ?? 0, oldestDueMs };
}
