import type { Context } from "#context.ts";
import { createStatementAccept } from "./accept-statements.ts";
import { createThreadAccept } from "./accept-in-thread.ts";
import type { DeliveryStore } from "./delivery-store.ts";

/**
 * Returns the store's `accept`, which commits a batch in one transaction: by a procedure in the SQLite thread, or by
 * statements on PostgreSQL.
 */
export function createAccept(context: Context, owner: string): DeliveryStore["accept"] {
  const { defineProcedure } = context.database;
  return defineProcedure === null
    ? createStatementAccept(context, owner)
    : createThreadAccept(context, { define: defineProcedure, owner });
}
