import { sql, type Expression, type Kysely, type RawBuilder } from "kysely";
import type { Schema } from "#database/schema.ts";
import type { Audience } from "../audience.ts";
import { selectRange, TARGET_COLUMNS } from "./select-devices.ts";

/** The columns of rows that name audiences, with the fields of `Audience`. A row without an audience has only nulls. */
export const AUDIENCE_COLUMNS = sql`
  kind text, "accountId" text, "teamId" text, "groupId" text, "deviceId" text`;

/**
 * Returns a lateral subquery for PostgreSQL. For each row of a table with `AUDIENCE_COLUMNS`, it reads the first
 * devices of the audience into one row: `device_ids` is an array in the order of `listAudienceDevices`, and `devices`
 * is a JSON array of the same devices, which `parseTargetValues` reads. Both are null if there is no device.
 */
export function selectFirstDevicesPerRow(
  db: Kysely<Schema>,
  { table, limit }: { readonly table: string; readonly limit: RawBuilder<number> },
): RawBuilder<unknown> {
  const column = (name: string) => sql.ref<string>(`${table}.${name}`);
  // Only the query for the kind of the row runs.
  const queries = listAudiences(column).map((audience) =>
    selectRange(db, audience, { after: null, upTo: null })
      .where(sql<boolean>`${column("kind")} = ${sql.lit(audience.kind)}`)
      .limit(limit),
  );
  const values = sql.join(TARGET_COLUMNS.map((name) => sql.ref(name)));
  const order = sql`order by device.account_id, device.id`;
  return sql`(
    select array_agg(device.id ${order}) as device_ids,
      json_agg(json_build_array(${values}) ${order}) as devices
    from (${sql.join(queries, sql` union all `)}) as device)`;
}

/** Returns one audience of each kind, with the columns of a row as its ids. */
function listAudiences(
  column: (name: string) => Expression<string>,
): readonly Audience<Expression<string>>[] {
  const accountId = column("accountId");
  return [
    { kind: "account", accountId },
    { kind: "team", teamId: column("teamId") },
    { kind: "group", accountId, groupId: column("groupId") },
    { kind: "device", accountId, deviceId: column("deviceId") },
  ];
}
