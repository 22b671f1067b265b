import type { Expression, Kysely } from "kysely";
import type { Schema } from "#database/schema.ts";
import type { Audience, AudiencePosition } from "../audience.ts";

/** The columns of a position. */
export const POSITION_COLUMNS = ["device.id", "device.account_id"] as const;

/** The columns of a target, in the order in which `parseTargetValues` reads them. */
export const TARGET_COLUMNS = [
  ...POSITION_COLUMNS,
  "device.provider",
  "device.address",
  "device.name",
  "device.registered_at",
  "device.paused_at",
  "device.suspect_at",
] as const;

/** The ends of a part of an audience; null means that the part has no end on this side. */
export interface RangeEnds {
  readonly after: AudiencePosition | null;
  readonly upTo: AudiencePosition | null;
}

/** An id in a query: a value, or an expression such as a column of another query. */
type Id = string | Expression<string>;

/** Returns the query for the devices of a part of an audience, in the order of `listAudienceDevices`. */
export function selectRange(db: Kysely<Schema>, audience: Audience<Id>, ends: RangeEnds) {
  return audience.kind === "team"
    ? selectTeamRange(db, audience.teamId, ends)
    : selectOwnRange(db, audience, ends);
}

/**
 * Conditions and order use the member's account instead of the device's: then the indexes of both tables give the
 * order.
 */
function selectTeamRange(db: Kysely<Schema>, teamId: Id, { after, upTo }: RangeEnds) {
  let query = selectTeamDevices(db, teamId).orderBy("team_member.account_id").orderBy("device.id");
  if (after !== null) {
    const { accountId, deviceId } = after;
    query = query
      .where("team_member.account_id", ">=", accountId)
      // This condition is implied, but without it PostgreSQL merges both tables and reads all earlier devices.
      .where("device.account_id", ">=", accountId)
      .where((eb) =>
        eb.or([eb("team_member.account_id", ">", accountId), eb("device.id", ">", deviceId)]),
      );
  }
  if (upTo !== null) {
    const { accountId, deviceId } = upTo;
    query = query
      .where("team_member.account_id", "<=", accountId)
      .where("device.account_id", "<=", accountId)
      .where((eb) =>
        eb.or([eb("team_member.account_id", "<", accountId), eb("device.id", "<=", deviceId)]),
      );
  }
  return query;
}

/** Returns the query for the live devices of a team's current members, in any order. */
export function selectTeamDevices(db: Kysely<Schema>, teamId: Id) {
  return db
    .selectFrom("team_member")
    .innerJoin("device", "device.account_id", "team_member.account_id")
    .select(TARGET_COLUMNS)
    .where("team_member.team_id", "=", teamId)
    .where("team_member.left_at", "is", null)
    .where("device.retired_at", "is", null)
    .where("team_member.account_id", "not in", selectSuspendedAccountIds(db));
}

/** Within one account, positions are in the order of the ids. */
function selectOwnRange(db: Kysely<Schema>, audience: OwnAudience, { after, upTo }: RangeEnds) {
  let query = selectOwnDevices(db, audience).orderBy("device.id");
  if (after !== null) query = query.where("device.id", ">", after.deviceId);
  if (upTo !== null) query = query.where("device.id", "<=", upTo.deviceId);
  return query;
}

/** An audience within one account. */
export type OwnAudience = Exclude<Audience<Id>, { kind: "team" }>;

/** Returns the query for the live devices of an audience within one account, in any order. */
export function selectOwnDevices(db: Kysely<Schema>, audience: OwnAudience) {
  const live = db
    .selectFrom("device")
    .select(TARGET_COLUMNS)
    .where("device.account_id", "=", audience.accountId)
    .where("device.retired_at", "is", null)
    .where("device.account_id", "not in", selectSuspendedAccountIds(db));
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

/** Returns the query for all suspended accounts. It runs once per statement, on an index that is usually empty. */
function selectSuspendedAccountIds(db: Kysely<Schema>) {
  return db
    .selectFrom("account")
    .select("account.id")
    .where("account.suspended_at", "is not", null);
}
