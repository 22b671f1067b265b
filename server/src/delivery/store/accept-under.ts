import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import { insertUnderQuery, type Condition } from "#database/insert-under.ts";
import type { NewRow } from "#database/insert-rows.ts";
import type { Work } from "../delivery.ts";
import { planRequest, toJobRow, toLeasedJob, type PlannedRequest } from "./accept-plan.ts";
import type { AcceptRequest, AcceptResult } from "./delivery-store.ts";
import { toNotificationRow } from "./rows.ts";

/** A notification to accept. Its devices were read before. */
export type PreparedRequest = Omit<AcceptRequest, "work" | "idempotency"> & {
  readonly work: Work | null;
};

/** The statements that accept a notification in another room's transaction, and the result if they take effect. */
export interface ConditionalAccept {
  readonly statements: readonly Compilable[];
  readonly result: AcceptResult;
}

/**
 * Returns the statements that store a notification with its work for the node `owner`, each only if `condition` holds.
 */
export function acceptUnder(
  context: Context,
  preparedRequest: PreparedRequest,
  { owner, condition }: { readonly owner: string; readonly condition: Condition },
): ConditionalAccept {
  const planned = planRequest(context, { ...preparedRequest, idempotency: null }, owner);
  const { work } = preparedRequest;
  const { db } = context.database;
  return {
    statements: toRows(planned, work).map((row) => insertUnderQuery(db, row, condition)),
    result: { kind: "accepted", job: toLeasedJob(planned, work), targets: null },
  };
}

/** Returns the rows of a notification; without work it has no job. */
export function toRows(planned: PlannedRequest, work: Work | null): readonly NewRow[] {
  const { notification, extraRows = [] } = planned.request;
  return [
    { table: "notification", row: toNotificationRow(notification) },
    ...extraRows,
    ...(work === null ? [] : [{ table: "send_job" as const, row: toJobRow(planned, work) }]),
  ];
}
