import type { Kysely } from "kysely";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";

/** A person whom a policy may reach. `deviceCount` excludes paused devices. */
export interface PersonRecipient {
  readonly accountId: string;
  readonly name: string;
  readonly email: string;
  readonly isEmailVerified: boolean;
  readonly isSuspended: boolean;
  readonly deviceCount: number;
}

/** A device, a device group or a team that a policy may reach. `deviceCount` excludes paused devices. */
export interface NamedRecipient {
  readonly name: string;
  readonly deviceCount: number;
}

/** Returns an account as a recipient; null if there is none with this id. */
export async function findPersonRecipient(
  { database: { db } }: Context,
  accountId: string,
): Promise<PersonRecipient | null> {
  const row = await db
    .selectFrom("account")
    .select(PERSON_COLUMNS)
    .where("account.id", "=", accountId)
    .executeTakeFirst();
  if (row === undefined) return null;
  const counts = await countUnpausedDevices(db, [accountId]);
  return toPerson(row, counts);
}

/** Returns the live devices of an account by id. */
export async function findDeviceRecipients(
  { database: { db } }: Context,
  accountId: string,
): Promise<ReadonlyMap<string, NamedRecipient>> {
  const rows = await db
    .selectFrom("device")
    .select(["id", "name", "paused_at"])
    .where("account_id", "=", accountId)
    .where("retired_at", "is", null)
    .execute();
  return new Map(
    rows.map(({ id, name, paused_at }) => [id, { name, deviceCount: paused_at === null ? 1 : 0 }]),
  );
}

/** Returns the device groups of an account by id. */
export async function findGroupRecipients(
  { database: { db } }: Context,
  accountId: string,
): Promise<ReadonlyMap<string, NamedRecipient>> {
  const groups = await db
    .selectFrom("device_group")
    .select(["id", "name"])
    .where("account_id", "=", accountId)
    .execute();
  const counts = await db
    .selectFrom("device_group_member")
    .innerJoin("device_group", "device_group.id", "device_group_member.group_id")
    .innerJoin("device", "device.id", "device_group_member.device_id")
    .select(({ fn }) => ["device_group.id", fn.countAll().as("count")])
    .where("device_group.account_id", "=", accountId)
    .where("device.retired_at", "is", null)
    .where("device.paused_at", "is", null)
    .groupBy("device_group.id")
    .execute();
  const countsByGroup = new Map(counts.map(({ id, count }) => [id, Number(count)]));
  return new Map(
    groups.map(({ id, name }) => [id, { name, deviceCount: countsByGroup.get(id) ?? 0 }]),
  );
}

/** Maximum number of ids in one query. */
const IDS_PER_QUERY_MAX = 500;

/** Returns the current members of a team among `memberIds`, by member id. */
export async function findMemberRecipients(
  { database: { db } }: Context,
  { teamId, memberIds }: { readonly teamId: string; readonly memberIds: readonly string[] },
): Promise<ReadonlyMap<string, PersonRecipient>> {
  const members = new Map<string, PersonRecipient>();
  for (let start = 0; start < memberIds.length; start += IDS_PER_QUERY_MAX) {
    const batch = memberIds.slice(start, start + IDS_PER_QUERY_MAX);
    const rows = await db
      .selectFrom("team_member")
      .innerJoin("account", "account.id", "team_member.account_id")
      .select("team_member.id as memberId")
      .select(PERSON_COLUMNS)
      .where("team_member.team_id", "=", teamId)
      .where("team_member.id", "in", batch)
      .where("team_member.left_at", "is", null)
      .execute();
    const counts = await countUnpausedDevices(
      db,
      rows.map(({ accountId }) => accountId),
    );
    for (const row of rows) members.set(row.memberId, toPerson(row, counts));
  }
  return members;
}

/** Returns the id of an account's current membership of a team; null if it is not a member. */
export async function findMemberId(
  { database: { db } }: Context,
  { teamId, accountId }: { readonly teamId: string; readonly accountId: string },
): Promise<string | null> {
  const row = await db
    .selectFrom("team_member")
    .select("id")
    .where("team_id", "=", teamId)
    .where("account_id", "=", accountId)
    .where("left_at", "is", null)
    .executeTakeFirst();
  return row?.id ?? null;
}

/** A team as a recipient. `deviceCount` includes only unpaused devices of members who are not suspended. */
export interface TeamRecipient extends NamedRecipient {
  /** The number of members with such a device. */
  readonly personCount: number;
}

/** Returns a team as a recipient; null if there is none with this id. */
export async function findTeamRecipient(
  { database: { db } }: Context,
  teamId: string,
): Promise<TeamRecipient | null> {
  const team = await db
    .selectFrom("team")
    .select("name")
    .where("id", "=", teamId)
    .executeTakeFirst();
  if (team === undefined) return null;
  const counts = await db
    .selectFrom("team_member")
    .innerJoin("account", "account.id", "team_member.account_id")
    .innerJoin("device", "device.account_id", "team_member.account_id")
    .select(({ fn }) => [
      fn.countAll().as("devices"),
      fn.count("team_member.account_id").distinct().as("people"),
    ])
    .where("team_member.team_id", "=", teamId)
    .where("team_member.left_at", "is", null)
    .where("account.suspended_at", "is", null)
    .where("device.retired_at", "is", null)
    .where("device.paused_at", "is", null)
    .executeTakeFirstOrThrow();
  const { devices, people } = counts;
  return { name: team.name, deviceCount: Number(devices), personCount: Number(people) };
}

const PERSON_COLUMNS = [
  "account.id as accountId",
  "account.name",
  "account.email",
  "account.email_verified",
  "account.suspended_at",
] as const;

interface PersonRow {
  readonly accountId: string;
  readonly name: string;
  readonly email: string;
  readonly email_verified: number | boolean;
  readonly suspended_at: number | null;
}

/** Counts no devices of a suspended account, because they do not ring. */
function toPerson(row: PersonRow, counts: ReadonlyMap<string, number>): PersonRecipient {
  const { accountId, name, email, email_verified, suspended_at } = row;
  const isSuspended = suspended_at !== null;
  return {
    accountId,
    name,
    email,
    isEmailVerified: Boolean(email_verified),
    isSuspended,
    deviceCount: isSuspended ? 0 : (counts.get(accountId) ?? 0),
  };
}

/** Returns the number of live devices that are not paused, by account. */
async function countUnpausedDevices(
  db: Kysely<Schema>,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (accountIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("device")
    .select(({ fn }) => ["account_id", fn.countAll().as("count")])
    .where("account_id", "in", accountIds)
    .where("retired_at", "is", null)
    .where("paused_at", "is", null)
    .groupBy("account_id")
    .execute();
  return new Map(rows.map((row) => [row.account_id, Number(row.count)]));
}
