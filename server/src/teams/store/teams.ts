import type { TeamRole } from "@tocsin/sdk";
import type { Kysely } from "kysely";
import type { Actor } from "#audit/event.ts";
import { insertEventQuery } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";

/** A team as one of its members sees it. */
export interface Membership {
  readonly id: string;
  readonly name: string;
  readonly role: TeamRole;
}

/**
 * A period of membership, from `joinedAt` up to but not including `leftAt`, in milliseconds since the epoch. `leftAt`
 * is null for a current member.
 */
export interface MembershipPeriod {
  readonly teamId: string;
  readonly joinedAt: number;
  readonly leftAt: number | null;
}

/** A current member of a team. */
export interface CurrentMember {
  /** The id that other members see instead of the account id. */
  readonly memberId: string;
  readonly accountId: string;
  readonly email: string;
  readonly name: string;
  readonly role: TeamRole;
}

/** Returns the team as the account sees it; null if the account is not in the team or the team does not exist. */
export async function findMembership(
  { database: { db } }: Context,
  { teamId, accountId }: { readonly teamId: string; readonly accountId: string },
): Promise<Membership | null> {
  const row = await selectMemberships(db, accountId)
    .where("team.id", "=", teamId)
    .executeTakeFirst();
  return row ?? null;
}

/** Returns up to `limit` teams that the account is in, oldest first, after the id `after`. */
export async function listMemberships(
  { database: { db } }: Context,
  input: { readonly accountId: string; readonly after: string | null; readonly limit: number },
): Promise<readonly Membership[]> {
  const { accountId, after, limit } = input;
  return selectMemberships(db, accountId)
    .where("team.id", ">", after ?? "")
    .orderBy("team.id")
    .limit(limit)
    .execute();
}

/** Returns the current members of the team, in the order in which they joined. */
export async function listMembers(
  { database: { db } }: Context,
  teamId: string,
): Promise<readonly CurrentMember[]> {
  return selectMembers(db, teamId).orderBy("team_member.id").execute();
}

/** Returns a current member of the team; null if there is none with this id. */
export async function findMember(
  { database: { db } }: Context,
  { teamId, memberId }: { readonly teamId: string; readonly memberId: string },
): Promise<CurrentMember | null> {
  const row = await selectMembers(db, teamId)
    .where("team_member.id", "=", memberId)
    .executeTakeFirst();
  return row ?? null;
}

/** Renames the team. The caller has checked the permission. */
export async function updateTeamName(
  context: Context,
  {
    teamId,
    name,
    actor,
  }: { readonly teamId: string; readonly name: string; readonly actor: Actor },
): Promise<void> {
  await context.database.atomically([
    context.database.db.updateTable("team").set({ name }).where("id", "=", teamId),
    insertEventQuery(context, { action: "team_renamed", actor, accountId: null, teamId }),
  ]);
}

/** Returns every period of membership of the account, including ended ones, oldest first. */
export async function listMembershipPeriods(
  { database: { db } }: Context,
  accountId: string,
): Promise<readonly MembershipPeriod[]> {
  return db
    .selectFrom("team_member")
    .select(["team_id as teamId", "joined_at as joinedAt", "left_at as leftAt"])
    .where("account_id", "=", accountId)
    .orderBy("id")
    .execute();
}

/** Returns the current number of teams of up to 500 accounts. */
export async function countTeams(
  { database: { db } }: Context,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (accountIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("team_member")
    .select(({ fn }) => ["account_id", fn.countAll().as("count")])
    .where("account_id", "in", accountIds.slice(0, IDS_MAX))
    .where("left_at", "is", null)
    .groupBy("account_id")
    .execute();
  return new Map(rows.map((row) => [row.account_id, Number(row.count)]));
}

/** Returns whether the account is an owner or admin of the team. */
export async function isManager(
  { database: { db } }: Context,
  { teamId, accountId }: { readonly teamId: string; readonly accountId: string },
): Promise<boolean> {
  const row = await db
    .selectFrom("team_member")
    .select("id")
    .where("team_id", "=", teamId)
    .where("account_id", "=", accountId)
    .where("left_at", "is", null)
    .where("role", "in", ["owner", "admin"])
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Returns the statement that locks the team's row until its transaction ends. Every change of a team's members or
 * invitations runs it first, so that such changes are serialised.
 */
export function lockTeamQuery(db: Kysely<Schema>, teamId: string) {
  return db
    .updateTable("team")
    .set((team) => ({ name: team.ref("name") }))
    .where("id", "=", teamId)
    .returning("name");
}

/** Returns the member id of the current member with the address `email` (lower case); null if there is none. */
export async function findMemberByEmail(
  db: Kysely<Schema>,
  { teamId, email }: { readonly teamId: string; readonly email: string },
): Promise<string | null> {
  const row = await selectMembers(db, teamId)
    .where((eb) => eb(eb.fn<string>("lower", ["account.email"]), "=", email))
    .executeTakeFirst();
  return row?.memberId ?? null;
}

function selectMembers(db: Kysely<Schema>, teamId: string) {
  return db
    .selectFrom("team_member")
    .innerJoin("account", "account.id", "team_member.account_id")
    .select(["team_member.id as memberId", "account.id as accountId"])
    .select(["account.email", "account.name", "team_member.role"])
    .where("team_member.team_id", "=", teamId)
    .where("team_member.left_at", "is", null);
}

function selectMemberships(db: Kysely<Schema>, accountId: string) {
  return db
    .selectFrom("team_member")
    .innerJoin("team", "team.id", "team_member.team_id")
    .select(["team.id", "team.name", "team_member.role"])
    .where("team_member.account_id", "=", accountId)
    .where("team_member.left_at", "is", null);
}

/** Returns the ids of the teams of which the account is an owner or admin. */
export async function listManagedTeamIds(
  { database: { db } }: Context,
  accountId: string,
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("team_member")
    .select("team_id")
    .where("account_id", "=", accountId)
    .where("left_at", "is", null)
    .where("role", "in", ["owner", "admin"])
    .execute();
  return rows.map((row) => row.team_id);
}

/** Returns the ids among `accountIds` whose accounts are current members of the team with one of the roles. */
export async function findCurrentMembers(
  { database: { db } }: Context,
  input: {
    readonly teamId: string;
    readonly accountIds: readonly string[];
    readonly roles: readonly TeamRole[];
  },
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("team_member")
    .select("account_id")
    .where("team_id", "=", input.teamId)
    .where("account_id", "in", input.accountIds)
    .where("left_at", "is", null)
    .where("role", "in", input.roles)
    .execute();
  return rows.map((row) => row.account_id);
}

/** Returns the names of at most 500 teams by id. */
export async function findTeamNames(
  { database: { db } }: Context,
  teamIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (teamIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("team")
    .select(["id", "name"])
    .where("id", "in", teamIds.slice(0, IDS_MAX))
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Maximum number of ids in one query. */
const IDS_MAX = 500;
