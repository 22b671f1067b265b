import type { ForeignStatement } from "#accounts/store/accounts.ts";
import type { TeamRole } from "@tocsin/sdk";
import type { Kysely } from "kysely";
import type { Actor, AuditEvent } from "#audit/event.ts";
import { record } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import { withinLimit } from "#database/within-limit.ts";
import { revocation } from "../../invitations/store.ts";
import { acceptance } from "../../received/store.ts";
import { findMemberByEmail, teamLock } from "../../store/teams.ts";
import { memberNotFound, type Alteration, type Standing } from "../member.ts";

/** A request to change a team's members, by an account. */
export interface Asking {
  readonly teamId: string;
  readonly actorId: string;
  readonly by: Actor;
}

/** The person concerned: the acting account, or a member by member id; null if nobody has it. */
export type Whom =
  | { readonly kind: "self" }
  | { readonly kind: "member"; readonly memberId: string | null };

/** A current member, by both ids. */
interface FoundMember {
  /** The id of the stay. */
  readonly id: string;
  readonly teamId: string;
  readonly accountId: string;
}

/**
 * Creates a team with its first owner and the rows of `alongside`, in one commit; false if the account already owns
 * `most`.
 */
export async function insertTeam(
  { database, now, newId }: Context,
  input: {
    readonly teamId: string;
    readonly name: string;
    readonly accountId: string;
    readonly most: number;
    readonly alongside: readonly ForeignStatement[];
  },
): Promise<boolean> {
  const { teamId, name, accountId, most, alongside } = input;
  const moment = now();
  const owner = { id: newId(), teamId, accountId, role: "owner", moment } as const;
  const count = (db: Kysely<Schema>) =>
    db
      .selectFrom("team_member")
      .select(({ fn }) => fn.countAll().as("count"))
      .where("account_id", "=", accountId)
      .where("role", "=", "owner")
      .where("left_at", "is", null)
      .executeTakeFirstOrThrow();
  const added = await withinLimit(
    database,
    { name: `teams ${accountId}`, most, count },
    async (db) => {
      await db.insertInto("team").values({ id: teamId, name, created_at: moment }).execute();
      for (const statement of [memberInsert(db, owner), ...alongside]) {
        await db.executeQuery(statement.compile());
      }
      return "added";
    },
  );
  return added !== "full";
}

/**
 * Ends every membership of a team, revokes its invitations and runs `alongside`, in one commit. The rows stay: they
 * record which notifications members could read.
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

/** An account that joins a team by an invitation; with a `tokenHash`, only while that token is valid. */
export interface Joining {
  readonly teamId: string;
  readonly invitationId: string;
  readonly tokenHash: string | null;
  readonly accountId: string;
  readonly by: Actor;
}

/**
 * Uses up an invitation and makes the account a member, in one commit; returns false if the invitation was answered,
 * revoked or renewed meanwhile, or has expired. Does not change an existing member.
 */
export async function joinTeam(context: Context, input: Joining): Promise<boolean> {
  return context.database.transaction((db) => joinTeamIn(db, context, input));
}

/** Does the same inside a given transaction. */
export async function joinTeamIn(
  db: Kysely<Schema>,
  context: Context,
  input: Joining,
): Promise<boolean> {
  const { teamId, accountId, invitationId: subjectId, by } = input;
  await teamLock(db, teamId).execute();
  const moment = context.now();
  const accepted = await acceptance(db, { ...input, moment }).executeTakeFirst();
  if (accepted === undefined) return false;
  const member = { id: context.newId(), teamId, accountId, role: "member", moment } as const;
  await memberInsert(db, member)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await record(db, context, { action: "member_joined", by, accountId, teamId, subjectId });
  return true;
}

/** Changes one membership as `decide` says, with the team locked; if it throws, nothing changes. */
export async function alterMember(
  context: Context,
  input: {
    readonly asking: Asking;
    readonly whom: Whom;
    readonly decide: (standing: Standing) => Alteration;
  },
): Promise<void> {
  const { asking, whom } = input;
  await context.database.transaction(async (db) => {
    await teamLock(db, asking.teamId).execute();
    const { standing, member } = await lookUp(db, asking, whom);
    const alteration = input.decide(standing);
    if (member === null) throw memberNotFound();
    await alter(db, { member, alteration, moment: context.now() });
    await record(db, context, alterationEvent(asking, { standing, member, alteration }));
  });
}

/**
 * Revokes the valid invitation to `email` (lower case), then changes the membership of that address as `decide` says,
 * with the team locked; if `decide` throws, nothing changes.
 */
export async function alterInvited(
  context: Context,
  input: Asking & {
    readonly email: string;
    readonly decide: (standing: Standing, wasInvited: boolean) => Alteration | null;
  },
): Promise<void> {
  const { teamId, actorId, email, by } = input;
  await context.database.transaction(async (db) => {
    await teamLock(db, teamId).execute();
    const moment = context.now();
    const revoked = await revocation(db, { teamId, moment })
      .where("email", "=", email)
      .where("expires_at", ">", moment)
      .returning("id")
      .executeTakeFirst();
    const memberId = await findMemberByEmail(db, { teamId, email });
    const whom = { kind: "member", memberId } as const;
    const { standing, member } = await lookUp(db, { teamId, actorId, by }, whom);
    const alteration = input.decide(standing, revoked !== undefined);
    if (revoked !== undefined) {
      const event = { action: "invitation_withdrawn", by, accountId: null, teamId } as const;
      await record(db, context, { ...event, subjectId: revoked.id });
    }
    if (alteration === null || member === null) return;
    await alter(db, { member, alteration, moment });
    await record(db, context, alterationEvent(input, { standing, member, alteration }));
  });
}

function alterationEvent(
  { teamId, by }: Pick<Asking, "teamId" | "by">,
  done: {
    readonly standing: Standing;
    readonly member: FoundMember;
    readonly alteration: Alteration;
  },
): AuditEvent {
  const { standing, member, alteration } = done;
  const concerned = { by, accountId: member.accountId, teamId, subjectId: member.id };
  if (alteration.kind === "end") {
    return { action: standing.isSelf ? "member_left" : "member_removed", ...concerned };
  }
  const role = { name: "role", before: standing.member, after: alteration.role } as const;
  return { action: "member_role_changed", ...concerned, changes: [role] };
}

/** Invitations are valid only while their maker may invite, so this revokes them otherwise. */
async function alter(
  db: Kysely<Schema>,
  input: {
    readonly member: FoundMember;
    readonly alteration: Alteration;
    readonly moment: number;
  },
): Promise<void> {
  const { member, alteration, moment } = input;
  const values = alteration.kind === "end" ? { left_at: moment } : { role: alteration.role };
  await db.updateTable("team_member").set(values).where("id", "=", member.id).execute();
  if (alteration.kind === "role" && alteration.role !== "member") return;
  const { teamId, accountId } = member;
  await revocation(db, { teamId, moment }).where("invited_by", "=", accountId).execute();
}

/** Returns the current member concerned, and how they stand to the acting account. */
async function lookUp(
  db: Kysely<Schema>,
  { teamId, actorId }: Asking,
  whom: Whom,
): Promise<{ readonly standing: Standing; readonly member: FoundMember | null }> {
  const memberId = whom.kind === "self" ? null : whom.memberId;
  const rows = await db
    .selectFrom("team_member")
    .select(["id", "account_id", "role"])
    .where("team_id", "=", teamId)
    .where("left_at", "is", null)
    .where((is) =>
      is.or([is("account_id", "=", actorId), is("id", "=", memberId), is("role", "=", "owner")]),
    )
    .execute();
  const actor = rows.find((row) => row.account_id === actorId);
  const member = whom.kind === "self" ? actor : rows.find((row) => row.id === memberId);
  const standing = {
    actor: actor?.role ?? null,
    member: member?.role ?? null,
    isSelf: member !== undefined && member === actor,
    owners: rows.filter((row) => row.role === "owner").length,
  };
  const found =
    member === undefined ? null : { id: member.id, teamId, accountId: member.account_id };
  return { standing, member: found };
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
