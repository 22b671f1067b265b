import type { Context } from "#context.ts";
import type { DeliveryStore } from "./delivery-store.ts";
import { createThreadSettle } from "./settle-in-thread.ts";
import { createStatementSettle } from "./settle-statements.ts";

/**
 * Returns the store's `settle`. On SQLite, a batch in which every job is done is settled by a procedure, as most
 * batches are; all others are settled by statements.
 */
export function createSettle(context: Context): DeliveryStore["settle"] {
  const { defineProcedure } = context.database;
  const settleByStatements = createStatementSettle(context);
  if (defineProcedure === null) return settleByStatements;
  const settleInThread = createThreadSettle(context, defineProcedure);
  return (batch) =>
    batch.every(({ next }) => next.kind === "done")
      ? settleInThread(batch)
      : settleByStatements(batch);
}
