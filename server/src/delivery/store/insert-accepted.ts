import { sql, type Kysely, type QueryResult, type RawBuilder } from "kysely";
import type { Context } from "#context.ts";
import { compileOnce } from "#database/compile-once.ts";
import type { Compilable } from "#database/database.ts";
import type { Schema } from "#database/schema.ts";
import { parseTargetValues } from "#devices/audiences/store/audience-devices.ts";
import {
  AUDIENCE_COLUMNS,
  selectFirstDevicesPerRow,
} from "#devices/audiences/store/first-devices-per-row.ts";
import type { Target } from "#devices/device.ts";
import { createPendingDevices, type Work } from "../delivery.ts";
import { toJobRow, type PlannedRequest } from "./accept-plan.ts";
import type { NotificationRow } from "./delivery-store.ts";
import { encodePending } from "./tuples.ts";
import { toNotificationRow } from "./rows.ts";

/** The devices of the audience that the commit read, by the id of the notification. */
export type ReadTargets = ReadonlyMap<string, readonly Target[] | "too_many">;

/** Stands for the work of a job whose devices the statement reads. */
const UNREAD_DEVICES: Work = { kind: "devices", pending: [] };

/**
 * Returns the statement that reads the audiences of a batch and inserts its rows, for PostgreSQL. All its parts see one
 * snapshot, so the returned devices are those of the jobs and of the counts. The statement inserts no row of a request
 * whose audience is too large, or whose idempotency key is not stored for its notification.
 */
export function insertAcceptedQuery(
  { database: { db } }: Context,
  planned: readonly PlannedRequest[],
): Compilable {
  const rowsByTable = groupRows(planned);
  const requests = JSON.stringify(planned.map(toRequestRow));
  const json = [...rowsByTable].map(([table, rows]) => [table, JSON.stringify(rows)] as const);
  return getStatement(rowsByTable)(db, { ...Object.fromEntries(json), requests });
}

/** Returns the devices of all requests whose audience the statement read. */
export function toReadTargets(result: QueryResult<unknown> | undefined): ReadTargets {
  // The columns that the statement selects.
  const rows = (result?.rows ?? []) as readonly {
    readonly notification_id: string;
    readonly is_too_large: boolean;
    readonly devices: readonly (readonly unknown[])[] | null;
  }[];
  return new Map(
    rows.map(({ notification_id, is_too_large, devices }) => {
      const targets = is_too_large ? "too_many" : (devices ?? []).map(parseTargetValues);
      return [notification_id, targets];
    }),
  );
}

type Table = NotificationRow["table"] | "notification";
type RowsByTable = ReadonlyMap<Table, readonly object[]>;

function groupRows(planned: readonly PlannedRequest[]): RowsByTable {
  const rows = planned.flatMap((item): readonly { table: Table; row: object }[] => {
    const { notification, work, extraRows = [] } = item.request;
    const jobWork = work?.kind === "audience" ? UNREAD_DEVICES : work;
    return [
      { table: "notification", row: toNotificationRow(notification) },
      ...extraRows,
      ...(jobWork === null ? [] : [{ table: "send_job" as const, row: toJobRow(item, jobWork) }]),
    ];
  });
  const groups = Map.groupBy(rows, ({ table }) => table);
  return new Map([...groups].map(([table, group]) => [table, group.map(({ row }) => row)]));
}

/** Returns the row of a request that `selectRequests` reads; a column without a value is null. */
function toRequestRow({ request: { notification, work, idempotency } }: PlannedRequest) {
  const ids = {
    notification_id: notification.id,
    key_id: idempotency?.keyId,
    key_hash: idempotency?.keyHash,
  };
  if (work?.kind !== "audience") return ids;
  return { ...ids, ...notification.audience, device_max: work.max };
}

/** JSON arrays of new rows by the name of their table, and that of the requests under `requests`. */
type BatchValues = Readonly<Record<string, string>>;
type InsertAccepted = (db: Kysely<Schema>, values: BatchValues) => Compilable;

/** The statements for the tables of a batch. All rows of a table have the same columns in the same order. */
const STATEMENTS = new Map<string, InsertAccepted>();

/** Rows are passed as JSON, so that the SQL does not depend on their number, and PostgreSQL plans it once. */
function getStatement(rowsByTable: RowsByTable): InsertAccepted {
  const key = [...rowsByTable.keys()].join();
  const existing = STATEMENTS.get(key);
  if (existing !== undefined) return existing;
  const columns = [...rowsByTable].map(([table, [row = {}]]) => [table, Object.keys(row)] as const);
  const statement = compileOnce<BatchValues>((db, values) => {
    const query = buildStatement(db, columns, values);
    return { compile: () => query.compile(db) };
  });
  STATEMENTS.set(key, statement);
  return statement;
}

function buildStatement(
  db: Kysely<Schema>,
  columns: readonly (readonly [Table, readonly string[]])[],
  values: BatchValues,
): RawBuilder<unknown> {
  const inserts = columns.map(
    ([table, names]) => sql`${sql.ref(`new_${table}`)} as (
      insert into ${sql.table(table)} (${sql.join(names.map((name) => sql.ref(name)))})
      select ${sql.join(names.map((name) => selectValue(table, name)))}
      from json_populate_recordset(cast(null as ${sql.table(table)}), ${values[table]}) as new_row
      join accepted on accepted.notification_id = new_row.${sql.ref(table === "notification" ? "id" : "notification_id")}
      ${table === "send_job" ? sql`where accepted.device_count is distinct from 0` : sql``})`,
  );
  return sql`
    with request as materialized (${selectRequests(db, values)}),
    accepted as materialized (${SELECT_ACCEPTED}),
    ${sql.join(inserts)}
    select notification_id, device_count > device_max as is_too_large,
      case when device_count <= device_max then devices end as devices
    from request where device_max is not null`;
}

/** Selects each request with its devices; their columns are null for a request that names no audience to read. */
function selectRequests(db: Kysely<Schema>, { requests }: BatchValues): RawBuilder<unknown> {
  // One more than allowed shows that there are too many.
  const limit = sql<number>`request.device_max + 1`;
  return sql`
    select notification_id, key_id, key_hash, device_max, device_ids, devices,
      case when device_max is not null then coalesce(cardinality(device_ids), 0) end as device_count
    from json_to_recordset(${requests}) as request (
      notification_id text, key_id text, key_hash text, device_max integer, ${AUDIENCE_COLUMNS})
    cross join lateral ${selectFirstDevicesPerRow(db, { table: "request", limit })} as audience`;
}

/** The encoding of a device before its first attempt, divided at its id. */
const [BEFORE_ID = "", AFTER_ID = ""] = encodePending(createPendingDevices([""], 0))
  .slice(1, -1)
  .split('""');

/**
 * Selects the requests to store. The idempotency key is looked up with a scalar subquery: with `exists`, PostgreSQL
 * may scan all keys.
 */
const SELECT_ACCEPTED = sql`
  select notification_id, device_count, (
    select '[' || string_agg(
      ${sql.lit(BEFORE_ID)} || cast(to_json(device_id) as text) || ${sql.lit(AFTER_ID)}, ',' order by place) || ']'
    from unnest(device_ids) with ordinality as device (device_id, place)) as pending
  from request
  where (device_max is null or device_count <= device_max)
    and (key_id is null or notification_id = (
      select idempotency.notification_id from idempotency
      where idempotency.key_id = request.key_id and idempotency.key_hash = request.key_hash))`;

/** Returns the value of a column: that of the row, unless it depends on the devices that the statement read. */
function selectValue(table: Table, column: string): RawBuilder<unknown> {
  const value = sql.ref(`new_row.${column}`);
  switch (`${table}.${column}`) {
    case "notification.device_count":
      return sql`coalesce(accepted.device_count, ${value})`;
    case "send_job.pending":
      return sql`coalesce(accepted.pending, ${value})`;
    default:
      return value;
  }
}
