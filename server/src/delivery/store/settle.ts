import type { Context } from "#context.ts";
import type { DeliveryStore } from "./delivery-store.ts";
import { createSettleInThread } from "./settle-in-thread.ts";
import { createSettleByStatements } from "./settle-statements.ts";

/**
 * Returns the store's `settle`. On SQLite, a procedure settles a batch in which every job is done, the usual case.
 * Statements settle all others.
 */
export function createSettle(context: Context): DeliveryStore["settle"] {
  const { defineProcedure } = context.database;
  const settleByStatements = createSettleByStatements(context);
  if (defineProcedure === null) return settleByStatements;
  const settleInThread = createSettleInThread(context, defineProcedure);
  return (batch) =>
    batch.every(({ next }) => next.kind === "done")
      ? settleInThread(batch)
      : settleByStatements(batch);
}
