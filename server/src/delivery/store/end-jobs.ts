import { sql, type QueryResult } from "kysely";
import type { Context } from "#context.ts";
import { castToBigint, compileOncePerRowCount, castToText } from "#database/compile-once.ts";
import type { Compilable } from "#database/database.ts";
import type { Lease } from "../delivery.ts";
import type { Settlement } from "./delivery-store.ts";

/**
 * Returns the statement that deletes the finished jobs of a batch whose leases still hold; empty if no job is finished.
 */
export function createEndJobStatements(
  { database: { db } }: Context,
  batch: readonly Settlement[],
): readonly Compilable[] {
  const done = batch.filter(({ next }) => next.kind === "done");
  const [first, ...others] = done.map(({ lease: { jobId, epoch } }) => ({ jobId, epoch }));
  return first === undefined ? [] : [deleteLeasedJobs(db, [first, ...others])];
}

/**
 * Returns the check whether the statement of `createEndJobStatements` deleted the job of a lease. `result` is the
 * result of the statement.
 */
export function createEndedCheck(
  result: QueryResult<unknown> | undefined,
): (lease: LeaseKey) => boolean {
  // The columns that `deleteLeasedJobs` returns.
  const rows = (result?.rows ?? []) as readonly { readonly id: string; readonly epoch: number }[];
  const epochs = new Map(rows.map(({ id, epoch }) => [id, epoch]));
  return ({ jobId, epoch }) => epochs.get(jobId) === epoch;
}

/** A lease by its job and fencing epoch. */
export type LeaseKey = Pick<Lease, "jobId" | "epoch">;

const deleteLeasedJobs = compileOncePerRowCount<LeaseKey>((db, jobs) => {
  const leases = jobs.map(
    ({ jobId, epoch }) => sql`(${castToText(jobId)}, ${castToBigint(epoch)})`,
  );
  const query = sql`
    delete from send_job where (id, epoch) in (values ${sql.join(leases)}) returning id, epoch`;
  return { compile: () => query.compile(db) };
});
