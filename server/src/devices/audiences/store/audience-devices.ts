import { sql, type Kysely } from "kysely";
import type { Context } from "#context.ts";
import { compileOnce } from "#database/compile-once.ts";
import type { Compilable } from "#database/database.ts";
import type { Schema } from "#database/schema.ts";
import type { Address, ProviderName } from "#providers/provider.ts";
import { requireBatchSize, type Target } from "../../device.ts";
import { parsePosition, formatPosition, type Audience } from "../audience.ts";
import {
  POSITION_COLUMNS,
  selectOwnDevices,
  selectRange,
  selectTeamDevices,
  type RangeEnds,
} from "./select-devices.ts";

/**
 * A part of an audience: at most `limit` devices after the position `after` ("" is the start), up to and including
 * `upTo` (null is the end).
 */
export interface AudienceRange {
  readonly after: string;
  readonly upTo: string | null;
  readonly limit: number;
}

/**
 * Returns the first live devices of an audience, ordered by account and id: within one account, group or device by
 * id only. A team's devices are those of its current members. Devices of suspended accounts are in no audience.
 */
export async function listAudienceDevices(
  { database }: Context,
  audience: Audience,
  { limit }: { readonly limit: number },
): Promise<readonly Target[]> {
  const { rows } = await database.read(selectFirstDevices(database.db, { audience, limit }));
  // The rows have the columns that `selectFirst` selects.
  return (rows as readonly TargetRow[]).map((row) => toTarget(row));
}

/**
 * Returns the first devices of a part of an audience, in the same order. The cost depends on the number of devices
 * returned and not on the size of the team, because the order is that of the indexes.
 */
export async function listDevicesInRange(
  { database: { db } }: Context,
  audience: Audience,
  range: AudienceRange,
): Promise<readonly Target[]> {
  const rows = await selectRange(db, audience, parseRangeEnds(range)).limit(range.limit).execute();
  return rows.map((row) => toTarget(row));
}

/** Returns the positions of the devices that `listDevicesInRange` would return. */
export async function listPositionsInRange(
  { database: { db } }: Context,
  audience: Audience,
  range: AudienceRange,
): Promise<readonly string[]> {
  const query = selectRange(db, audience, parseRangeEnds(range))
    .clearSelect()
    .select(POSITION_COLUMNS);
  const rows = await query.limit(range.limit).execute();
  return rows.map((row) => formatPosition({ accountId: row.account_id, deviceId: row.id }));
}

/** Returns the live devices that belong to the audience now, among at most 500 given ones. */
export async function findDevicesInAudience(
  { database: { db } }: Context,
  audience: Audience,
  { deviceIds }: { readonly deviceIds: readonly string[] },
): Promise<readonly Target[]> {
  requireBatchSize(deviceIds);
  if (deviceIds.length === 0) return [];
  const rows =
    audience.kind === "team"
      ? await selectTeamDevices(db, audience.teamId).where("device.id", "in", deviceIds).execute()
      : await selectOwnDevices(db, audience).where("device.id", "in", deviceIds).execute();
  return rows.map((row) => toTarget(row)).toSorted(comparePositions);
}

interface TargetRow {
  readonly id: string;
  readonly account_id: string;
  readonly provider: ProviderName;
  readonly address: string;
  readonly name: string;
  readonly registered_at: number;
  readonly paused_at: number | null;
  readonly suspect_at: number | null;
}

/**
 * Returns the query of `listAudienceDevices`. Its SQL is the same for every audience of a kind; `parseTargetValues` reads
 * its rows as arrays. It is compiled once for each kind, because every send runs it.
 */
export function selectFirstDevices(
  db: Kysely<Schema>,
  { audience, limit }: { readonly audience: Audience; readonly limit: number },
): Compilable {
  switch (audience.kind) {
    case "account":
      return selectFirstOfAccount(db, { ...audience, limit });
    case "team":
      return selectFirstOfTeam(db, { ...audience, limit });
    case "group":
      return selectFirstOfGroup(db, { ...audience, limit });
    case "device":
      return selectFirstOfDevice(db, { ...audience, limit });
  }
}

type FirstDevicesInput<Kind extends Audience["kind"]> = Omit<
  Extract<Audience, { kind: Kind }>,
  "kind"
> & {
  readonly limit: number;
};

const selectFirstOfAccount = compileOnce<FirstDevicesInput<"account">>((db, { accountId, limit }) =>
  selectFirst(db, { kind: "account", accountId }, limit),
);
const selectFirstOfTeam = compileOnce<FirstDevicesInput<"team">>((db, { teamId, limit }) =>
  selectFirst(db, { kind: "team", teamId }, limit),
);
const selectFirstOfGroup = compileOnce<FirstDevicesInput<"group">>(
  (db, { accountId, groupId, limit }) =>
    selectFirst(db, { kind: "group", accountId, groupId }, limit),
);
const selectFirstOfDevice = compileOnce<FirstDevicesInput<"device">>(
  (db, { accountId, deviceId, limit }) =>
    selectFirst(db, { kind: "device", accountId, deviceId }, limit),
);

function selectFirst(db: Kysely<Schema>, audience: Audience, limit: number): Compilable {
  return selectRange(db, audience, { after: null, upTo: null }).limit(sql<number>`${limit}`);
}

function parseRangeEnds({ after, upTo }: AudienceRange): RangeEnds {
  return {
    after: after === "" ? null : parsePosition(after),
    upTo: upTo === null ? null : parsePosition(upTo),
  };
}

function toTarget(row: TargetRow): Target {
  return {
    deviceId: row.id,
    accountId: row.account_id,
    provider: row.provider,
    // Only this room writes the column.
    address: JSON.parse(row.address) as Address,
    name: row.name,
    registeredAt: row.registered_at,
    pausedAt: row.paused_at,
    suspectAt: row.suspect_at,
  };
}

/** The values of `TARGET_COLUMNS`, in their order. */
type TargetValues = readonly [
  id: string,
  accountId: string,
  provider: ProviderName,
  address: string,
  name: string,
  registeredAt: number,
  pausedAt: number | null,
  suspectAt: number | null,
];

/** Converts a row of `selectFirstDevices` that was read as an array to a target. */
export function parseTargetValues(values: readonly unknown[]): Target {
  const [id, account_id, provider, address, name, registered_at, paused_at, suspect_at] =
    values as TargetValues; // The query selects `TARGET_COLUMNS`.
  const dates = { registered_at, paused_at, suspect_at };
  return toTarget({ id, account_id, provider, address, name, ...dates });
}

function comparePositions(one: Target, other: Target): number {
  return formatPosition(one) < formatPosition(other) ? -1 : 1;
}
