import type { Context } from "#context.ts";
import type { Database } from "#database/database.ts";
import { insertRowsQuery, type NewRow } from "#database/insert-rows.ts";
import type { TransferableValue, SqlValues } from "#database/sqlite-procedure.ts";
import type { Audience } from "#devices/audiences/audience.ts";
import {
  selectFirstDevices,
  parseTargetValues,
} from "#devices/audiences/store/audience-devices.ts";
import type { Work } from "../delivery.ts";
import { IDEMPOTENCY_TTL_MS } from "./idempotency-keys.ts";
import {
  planRequest,
  toJobRow,
  withLookupIfInDoubt,
  toResult,
  type PlannedRequest,
} from "./accept-plan.ts";
import type {
  AcceptInput,
  AcceptOutput,
  AcceptStatements,
  IdempotencyInput,
} from "./accept-procedure.ts";
import type { AcceptRequest, AcceptResult, IdempotencyRecord } from "./delivery-store.ts";
import { toNotificationRow } from "./rows.ts";

/**
 * Returns the store's `accept`, which calls a procedure in the SQLite thread. New leases belong to the node `owner`.
 */
export function createThreadAccept(
  context: Context,
  { define, owner }: { readonly define: DefineProcedure; readonly owner: string },
) {
  const callProcedure = define(new URL("./accept-procedure.ts", import.meta.url));
  const insertSql = new Map<NewRow["table"], string>();
  return async (batch: readonly AcceptRequest[]): Promise<readonly AcceptResult[]> => {
    const planned = batch.map((request) => planRequest(context, request, owner));
    const [first] = planned;
    if (first === undefined) return [];
    const inputs = planned.map((item) => toInput(context, item, insertSql));
    const outputs = await withLookupIfInDoubt(context, planned, () =>
      callProcedure(inputs, () => createStatements(context, first)),
    );
    return planned.map((item, index) => {
      // The procedure returns an output for each input.
      const [outcome, devices] = outputs[index] as unknown as AcceptOutput;
      const readsDevices = item.request.work?.kind === "audience";
      return toResult(item, outcome, readsDevices ? devices.map(parseTargetValues) : null);
    });
  };
}

type DefineProcedure = NonNullable<Database["defineProcedure"]>;

/** Returns the SQL of the procedure. `sample` is any request: all rows have the same columns in the same order. */
function createStatements({ database: { db } }: Context, sample: PlannedRequest): AcceptStatements {
  const compileSelect = (audience: Audience) =>
    selectFirstDevices(db, { audience, limit: 1 }).compile().sql;
  const notification = toNotificationRow(sample.request.notification);
  return {
    account: compileSelect({ kind: "account", accountId: "" }),
    team: compileSelect({ kind: "team", teamId: "" }),
    group: compileSelect({ kind: "group", accountId: "", groupId: "" }),
    device: compileSelect({ kind: "device", accountId: "", deviceId: "" }),
    insertNotification: db.insertInto("notification").values(notification).compile().sql,
    insertJob: db.insertInto("send_job").values(toJobRow(sample, UNREAD_DEVICES)).compile().sql,
    forgetKey: "delete from idempotency where key_id = ? and key_hash = ? and created_at <= ?",
    findKey: `
      select content_hash, notification_id, created_at from idempotency
      where key_id = ? and key_hash = ?`,
    insertKey: `
      insert into idempotency (key_id, key_hash, content_hash, notification_id, created_at)
      values (?, ?, ?, ?, ?) on conflict (key_id, key_hash) do nothing`,
  };
}

/** Stands for the work of a job whose devices the procedure reads. */
const UNREAD_DEVICES: Work = { kind: "devices", pending: [] };

/** Returns the SQL that inserts a row into its table. */
function getInsertSql(
  { database: { db } }: Context,
  cache: Map<NewRow["table"], string>,
  { table, row }: NewRow,
): string {
  const cached = cache.get(table);
  if (cached !== undefined) return cached;
  const { sql } = insertRowsQuery(db, table, [row]).compile();
  cache.set(table, sql);
  return sql;
}

function toInput(
  context: Context,
  planned: PlannedRequest,
  insertSql: Map<NewRow["table"], string>,
): TransferableValue {
  const { notification, work, extraRows = [], idempotency } = planned.request;
  const row: SqlValues = Object.values(toNotificationRow(notification));
  const inserts = extraRows.map((extra) => {
    const values = Object.values(extra.row) as SqlValues; // SQLite stores the values of all rows.
    return [getInsertSql(context, insertSql, extra), ...values] as const;
  });
  const key = idempotency === null ? null : toIdempotencyInput(context, planned, idempotency);
  if (work?.kind !== "audience") {
    const job = work === null ? null : Object.values(toJobRow(planned, work));
    return [null, row, inserts, job, key] satisfies AcceptInput;
  }
  const job: SqlValues = Object.values(toJobRow(planned, UNREAD_DEVICES));
  // One more than allowed shows that there are too many.
  const selection = { audience: notification.audience, limit: work.max + 1 };
  const { parameters } = selectFirstDevices(context.database.db, selection).compile();
  const queryValues = parameters as SqlValues; // Ids and a number.
  const deviceQuery = [notification.audience.kind, work.max, ...queryValues] as const;
  // The procedure adds the last columns, which depend on the devices.
  return [deviceQuery, row.slice(0, -1), inserts, job.slice(0, -1), key] satisfies AcceptInput;
}

function toIdempotencyInput(
  { now }: Context,
  { request: { notification } }: PlannedRequest,
  { keyId, laterKeyId, keyHash, contentHash }: IdempotencyRecord,
): IdempotencyInput {
  const keyIds = laterKeyId === undefined ? [keyId] : [keyId, laterKeyId];
  const at = now();
  return [keyIds, keyHash, contentHash, notification.id, at, at - IDEMPOTENCY_TTL_MS];
}
