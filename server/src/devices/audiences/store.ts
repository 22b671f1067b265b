import { sql, type Kysely } from "kysely";
import type { Context } from "#context.ts";
import { compiledOnce } from "#database/compiled-once.ts";
import type { Compilable } from "#database/database.ts";
import type { Schema } from "#database/schema.ts";
import type { Address, ProviderName } from "#providers/provider.ts";
import { requireBatch, type Target } from "../device.ts";
import { parsePosition, formatPosition, type Audience, type AudiencePosition } from "./audience.ts";

/** A part of an audience: after the position `after` ("" is the start), up to and including `upTo` (null is the end). */
export interface AudienceRange {
  readonly after: string;
  readonly upTo: string | null;
  readonly limit: number;
}

/**
 * Returns the first live devices of an audience, ordered by account and id: within one account, group or device by
 * id only. A team's devices are those of its current members.
 */
export async function audienceDevices(
  { database }: Context,
  audience: Audience,
  { limit }: { readonly limit: number },
): Promise<readonly Target[]> {
  const { rows } = await database.read(firstDevices(database.db, { audience, limit }));
  // The rows have the columns that `firstIn` selects.
  return (rows as readonly TargetRow[]).map((row) => toTarget(row));
}

/**
 * Returns the first devices of a part of an audience, in the same order. The cost depends on the number of devices returned
 * and not on the size of the team, because the order is that of the indexes.
 */
export async function audienceRange(
  { database: { db } }: Context,
  audience: Audience,
  range: AudienceRange,
): Promise<readonly Target[]> {
  const rows = await rangeOf(db, audience, parseEnds(range)).limit(range.limit).execute();
  return rows.map((row) => toTarget(row));
}

/** Returns the positions of the devices that `audienceRange` would return. */
export async function audiencePositions(
  { database: { db } }: Context,
  audience: Audience,
  range: AudienceRange,
): Promise<readonly string[]> {
  const query = rangeOf(db, audience, parseEnds(range)).clearSelect().select(POSITION_COLUMNS);
  const rows = await query.limit(range.limit).execute();
  return rows.map((row) => formatPosition({ accountId: row.account_id, deviceId: row.id }));
}

/** Of at most 500 devices, returns the live ones that belong to the audience now. */
export async function audienceTargets(
  { database: { db } }: Context,
  audience: Audience,
  { deviceIds }: { readonly deviceIds: readonly string[] },
): Promise<readonly Target[]> {
  requireBatch(deviceIds);
  if (deviceIds.length === 0) return [];
  const rows =
    audience.kind === "team"
      ? await teamDevices(db, audience.teamId).where("device.id", "in", deviceIds).execute()
      : await ownDevices(db, audience).where("device.id", "in", deviceIds).execute();
  return rows.map((row) => toTarget(row)).toSorted(byPosition);
}

const POSITION_COLUMNS = ["device.id", "device.account_id"] as const;

const TARGET_COLUMNS = [
  ...POSITION_COLUMNS,
  "device.provider",
  "device.address",
  "device.name",
  "device.registered_at",
  "device.paused_at",
  "device.suspect_at",
] as const;

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

/** Compiled once for each kind of audience, because every send runs this query. */
function firstDevices(
  db: Kysely<Schema>,
  { audience, limit }: { readonly audience: Audience; readonly limit: number },
): Compilable {
  switch (audience.kind) {
    case "account":
      return firstOfAccount(db, { ...audience, limit });
    case "team":
      return firstOfTeam(db, { ...audience, limit });
    case "group":
      return firstOfGroup(db, { ...audience, limit });
    case "device":
      return firstOfDevice(db, { ...audience, limit });
  }
}

type First<Kind extends Audience["kind"]> = Omit<Extract<Audience, { kind: Kind }>, "kind"> & {
  readonly limit: number;
};

const firstOfAccount = compiledOnce<First<"account">>((db, { accountId, limit }) =>
  firstIn(db, { kind: "account", accountId }, limit),
);
const firstOfTeam = compiledOnce<First<"team">>((db, { teamId, limit }) =>
  firstIn(db, { kind: "team", teamId }, limit),
);
const firstOfGroup = compiledOnce<First<"group">>((db, { accountId, groupId, limit }) =>
  firstIn(db, { kind: "group", accountId, groupId }, limit),
);
const firstOfDevice = compiledOnce<First<"device">>((db, { accountId, deviceId, limit }) =>
  firstIn(db, { kind: "device", accountId, deviceId }, limit),
);

function firstIn(db: Kysely<Schema>, audience: Audience, limit: number): Compilable {
  return rangeOf(db, audience, { begin: null, end: null }).limit(sql<number>`${limit}`);
}

interface Ends {
  readonly begin: AudiencePosition | null;
  readonly end: AudiencePosition | null;
}

function parseEnds({ after, upTo }: AudienceRange): Ends {
  return {
    begin: after === "" ? null : parsePosition(after),
    end: upTo === null ? null : parsePosition(upTo),
  };
}

function rangeOf(db: Kysely<Schema>, audience: Audience, ends: Ends) {
  return audience.kind === "team"
    ? teamRange(db, audience.teamId, ends)
    : ownRange(db, audience, ends);
}

/**
 * Conditions and order use the member's account instead of the device's, so that the indexes of both tables give the order.
 */
function teamRange(db: Kysely<Schema>, teamId: string, { begin, end }: Ends) {
  let query = teamDevices(db, teamId).orderBy("team_member.account_id").orderBy("device.id");
  if (begin !== null) {
    const { accountId, deviceId } = begin;
    query = query
      .where("team_member.account_id", ">=", accountId)
      // Implied, but without it PostgreSQL merges both tables and reads all earlier devices.
      .where("device.account_id", ">=", accountId)
      .where((eb) =>
        eb.or([eb("team_member.account_id", ">", accountId), eb("device.id", ">", deviceId)]),
      );
  }
  if (end !== null) {
    const { accountId, deviceId } = end;
    query = query
      .where("team_member.account_id", "<=", accountId)
      .where("device.account_id", "<=", accountId)
      .where((eb) =>
        eb.or([eb("team_member.account_id", "<", accountId), eb("device.id", "<=", deviceId)]),
      );
  }
  return query;
}

function teamDevices(db: Kysely<Schema>, teamId: string) {
  return db
    .selectFrom("team_member")
    .innerJoin("device", "device.account_id", "team_member.account_id")
    .select(TARGET_COLUMNS)
    .where("team_member.team_id", "=", teamId)
    .where("team_member.left_at", "is", null)
    .where("device.retired_at", "is", null)
    .where("team_member.account_id", "not in", suspendedAccountIds(db));
}

/** Within one account, positions are in the order of the ids. */
function ownRange(db: Kysely<Schema>, audience: OwnAudience, { begin, end }: Ends) {
  let query = ownDevices(db, audience).orderBy("device.id");
  if (begin !== null) query = query.where("device.id", ">", begin.deviceId);
  if (end !== null) query = query.where("device.id", "<=", end.deviceId);
  return query;
}

type OwnAudience = Exclude<Audience, { kind: "team" }>;

function ownDevices(db: Kysely<Schema>, audience: OwnAudience) {
  const live = db
    .selectFrom("device")
    .select(TARGET_COLUMNS)
    .where("device.account_id", "=", audience.accountId)
    .where("device.retired_at", "is", null)
    .where("device.account_id", "not in", suspendedAccountIds(db));
  switch (audience.kind) {
    case "account":
      return live;
    case "device":
      return live.where("device.id", "=", audience.deviceId);
    case "group":
      return live.where("device.id", "in", (eb) =>
        eb
          .selectFrom("device_group_member")
          .innerJoin("device_group", "device_group.id", "device_group_member.group_id")
          .select("device_group_member.device_id")
          .where("device_group.id", "=", audience.groupId)
          .where("device_group.account_id", "=", audience.accountId),
      );
  }
}

/** Evaluated once per statement, from an index that is usually empty. */
function suspendedAccountIds(db: Kysely<Schema>) {
  return db
    .selectFrom("account")
    .select("account.id")
    .where("account.suspended_at", "is not", null);
}

function toTarget(row: TargetRow): Target {
  return {
    deviceId: row.id,
    accountId: row.account_id,
    provider: row.provider,
    // Registration wrote the address of every live row.
    address: JSON.parse(row.address) as Address,
    name: row.name,
    registeredAt: row.registered_at,
    pausedAt: row.paused_at,
    suspectAt: row.suspect_at,
    position: formatPosition({ accountId: row.account_id, deviceId: row.id }),
  };
}

function byPosition(one: Target, other: Target): number {
  return one.position < other.position ? -1 : 1;
}
