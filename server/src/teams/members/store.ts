import type { TeamRole } from "@tocsin/sdk";
import type { Kysely } from "kysely";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import { revocation } from "../invitations/store.ts";
import { acceptance } from "../received/store.ts";
import { findMemberByEmail, teamLock, type ForeignStatement } from "../store.ts";
import type { Alteration, Standing } from "./member.ts";

/** Who asks for a change in which team. */
export interface Asking {
  readonly teamId: string;
  readonly actorId: string;
}

/** Makes a team with its first owner, and what `alongside` adds, in one commit. */
export async function insertTeam(
  { database, now, newId }: Context,
  input: {
    readonly teamId: string;
    readonly name: string;
    readonly accountId: string;
    readonly alongside: readonly ForeignStatement[];
  },
): Promise<void> {
  const { db } = database;
  const { teamId, name, accountId } = input;
  const moment = now();
  const owner = { id: newId(), teamId, accountId, role: "owner", moment } as const;
  await database.atomically([
    db.insertInto("team").values({ id: teamId, name, created_at: moment }),
    memberInsert(db, owner),
    ...input.alongside,
  ]);
}

/**
 * Ends every membership of a team and revokes its invitations, with what `alongside` adds, in one commit. Its
 * rows stay: they say which notifications its members could read.
 */
export async function dissolveTeam(
  { database, now }: Context,
  input: { readonly teamId: string; readonly alongside: readonly ForeignStatement[] },
): Promise<void> {
  const { db } = database;
  const { teamId } = input;
  const moment = now();
  await database.atomically([
    teamLock(db, teamId),
    revocation(db, { teamId, moment }),
    db
      .updateTable("team_member")
      .set({ left_at: moment })
      .where("team_id", "=", teamId)
      .where("left_at", "is", null),
    ...input.alongside,
  ]);
}

/**
 * Uses an invitation up and makes the account a member, in one commit; returns false where the invitation was
 * answered, revoked, renewed or has expired meanwhile. A member stays what they are.
 */
export async function joinTeam(
  { database, now, newId }: Context,
  input: {
    readonly teamId: string;
    readonly invitationId: string;
    readonly tokenHash: string | null;
    readonly accountId: string;
  },
): Promise<boolean> {
  const { teamId, accountId } = input;
  return database.transaction(async (db) => {
    await teamLock(db, teamId).execute();
    const moment = now();
    const accepted = await acceptance(db, { ...input, moment }).executeTakeFirst();
    if (accepted === undefined) return false;
    const member = { id: newId(), teamId, accountId, role: "member", moment } as const;
    await memberInsert(db, member)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return true;
  });
}

/** Does to one membership what `decide` says, holding the team; what it throws leaves everything as it was. */
export async function alterMember(
  { database, now }: Context,
  input: Asking & {
    readonly memberId: string;
    readonly decide: (standing: Standing) => Alteration;
  },
): Promise<void> {
  await database.transaction(async (db) => {
    await teamLock(db, input.teamId).execute();
    const alteration = input.decide(await standingOf(db, input));
    await alter(db, { ...input, alteration, moment: now() });
  });
}

/**
 * Revokes the good invitation to `email` (lower case), then does what `decide` says to the member who has that
 * address, holding the team; what `decide` throws leaves everything as it was.
 */
export async function alterInvited(
  { database, now }: Context,
  input: Asking & {
    readonly email: string;
    readonly decide: (standing: Standing, wasInvited: boolean) => Alteration | null;
  },
): Promise<void> {
  const { teamId, email } = input;
  await database.transaction(async (db) => {
    await teamLock(db, teamId).execute();
    const moment = now();
    const revoked = await revocation(db, { teamId, moment })
      .where("email", "=", email)
      .where("expires_at", ">", moment)
      .returning("id")
      .executeTakeFirst();
    const memberId = await findMemberByEmail(db, { teamId, email });
    const standing = await standingOf(db, { ...input, memberId });
    const alteration = input.decide(standing, revoked !== undefined);
    if (alteration === null || memberId === null) return;
    await alter(db, { teamId, memberId, alteration, moment });
  });
}

/** Returns the names of the teams whose only owner the account is. */
export async function teamsWithoutAnother(
  { database: { db } }: Context,
  accountId: string,
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("team_member as mine")
    .innerJoin("team", "team.id", "mine.team_id")
    .select("team.name")
    .where("mine.account_id", "=", accountId)
    .where("mine.left_at", "is", null)
    .where("mine.role", "=", "owner")
    .where((is) =>
      is.not(
        is.exists(
          is
            .selectFrom("team_member as other")
            .select("other.id")
            .whereRef("other.team_id", "=", "mine.team_id")
            .where("other.account_id", "<>", accountId)
            .where("other.left_at", "is", null)
            .where("other.role", "=", "owner"),
        ),
      ),
    )
    .orderBy("mine.id")
    .execute();
  return rows.map(({ name }) => name);
}

/** An invitation stands as long as its maker may invite: the end of that takes them along. */
async function alter(
  db: Kysely<Schema>,
  input: {
    readonly teamId: string;
    readonly memberId: string;
    readonly alteration: Alteration;
    readonly moment: number;
  },
): Promise<void> {
  const { teamId, memberId, alteration, moment } = input;
  const values = alteration.kind === "end" ? { left_at: moment } : { role: alteration.role };
  await db
    .updateTable("team_member")
    .set(values)
    .where("team_id", "=", teamId)
    .where("account_id", "=", memberId)
    .where("left_at", "is", null)
    .execute();
  if (alteration.kind === "role" && alteration.role !== "member") return;
  await revocation(db, { teamId, moment }).where("invited_by", "=", memberId).execute();
}

async function standingOf(
  db: Kysely<Schema>,
  { teamId, actorId, memberId }: Asking & { readonly memberId: string | null },
): Promise<Standing> {
  const people = memberId === null ? [actorId] : [actorId, memberId];
  const rows = await db
    .selectFrom("team_member")
    .select(["account_id", "role"])
    .where("team_id", "=", teamId)
    .where("left_at", "is", null)
    .where((is) => is.or([is("account_id", "in", people), is("role", "=", "owner")]))
    .execute();
  const roleOf = (id: string | null) => rows.find((row) => row.account_id === id)?.role ?? null;
  return {
    actor: roleOf(actorId),
    member: roleOf(memberId),
    isSelf: actorId === memberId,
    owners: rows.filter((row) => row.role === "owner").length,
  };
}

function memberInsert(
  db: Kysely<Schema>,
  member: {
    readonly id: string;
    readonly teamId: string;
    readonly accountId: string;
    readonly role: TeamRole;
    readonly moment: number;
  },
) {
  return db.insertInto("team_member").values({
    id: member.id,
    team_id: member.teamId,
    account_id: member.accountId,
    role: member.role,
    joined_at: member.moment,
    left_at: null,
  });
}
