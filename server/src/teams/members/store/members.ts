import type { JoinedStatement } from "#accounts/store/accounts.ts";
import type { TeamRole } from "@tocsin/sdk";
import type { Kysely } from "kysely";
import type { Actor, AuditEvent } from "#audit/event.ts";
import { recordEvent } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import { addWithinLimit } from "#database/add-within-limit.ts";
import { revokeInvitationsQuery } from "../../invitations/store.ts";
import { acceptInvitationQuery } from "../../received-invitations/store.ts";
import { findMemberByEmail, lockTeamQuery } from "../../store/teams.ts";
import { createNoSuchMemberError, type MembershipChange, type MembershipFacts } from "../member.ts";

/** A request by an account to change a team's members. */
export interface MemberChangeRequest {
  readonly teamId: string;
  readonly actorId: string;
  readonly actor: Actor;
}

/** The affected member: the acting account, or a member by id. The id is null if there is no such member. */
export type MemberTarget =
  | { readonly kind: "self" }
  | { readonly kind: "member"; readonly memberId: string | null };

/** A current member, with both ids. */
interface AffectedMember {
  /** The member id. */
  readonly id: string;
  readonly teamId: string;
  readonly accountId: string;
}

/**
 * Creates a team with its first owner and runs `joinedStatements`, in one commit. Returns false if the account already
 * owns `limit` teams.
 */
export async function insertTeam(
  { database, now, newId }: Context,
  input: {
    readonly teamId: string;
    readonly name: string;
    readonly accountId: string;
    readonly limit: number;
    readonly joinedStatements: readonly JoinedStatement[];
  },
): Promise<boolean> {
  const { teamId, name, accountId, limit, joinedStatements } = input;
  const timestamp = now();
  const owner = { id: newId(), teamId, accountId, role: "owner", timestamp } as const;
  const count = (db: Kysely<Schema>) =>
    db
      .selectFrom("team_member")
      .select(({ fn }) => fn.countAll().as("count"))
      .where("account_id", "=", accountId)
      .where("role", "=", "owner")
      .where("left_at", "is", null)
      .executeTakeFirstOrThrow();
  const result = await addWithinLimit(
    database,
    { name: `teams ${accountId}`, max: limit, count },
    async (db) => {
      await db.insertInto("team").values({ id: teamId, name, created_at: timestamp }).execute();
      for (const statement of [insertMemberQuery(db, owner), ...joinedStatements]) {
        await db.executeQuery(statement.compile());
      }
      return "added";
    },
  );
  return result !== "full";
}

/**
 * Ends every membership of a team, revokes its invitations and runs `joinedStatements`, in one commit. The rows stay,
 * because they record which notifications members could read.
 */
export async function dissolveTeam(
  { database, now }: Context,
  input: { readonly teamId: string; readonly joinedStatements: readonly JoinedStatement[] },
): Promise<void> {
  const { db } = database;
  const { teamId } = input;
  const timestamp = now();
  await database.atomically([
    lockTeamQuery(db, teamId),
    revokeInvitationsQuery(db, { teamId, timestamp }),
    db
      .updateTable("team_member")
      .set({ left_at: timestamp })
      .where("team_id", "=", teamId)
      .where("left_at", "is", null),
    ...input.joinedStatements,
  ]);
}

/** An account that accepts an invitation. With a `tokenHash`, that token must still be valid. */
export interface JoinRequest {
  readonly teamId: string;
  readonly invitationId: string;
  readonly tokenHash: string | null;
  readonly accountId: string;
  readonly actor: Actor;
}

/**
 * Uses up an invitation and makes the account a member, in one commit. Returns false if the invitation was answered,
 * revoked or renewed meanwhile, or has expired, or if its inviter is suspended. Does not change an existing member.
 */
export async function joinTeam(context: Context, input: JoinRequest): Promise<boolean> {
  return context.database.transaction((db) => joinTeamInTransaction(db, context, input));
}

/** Does the same as `joinTeam` inside an existing transaction. */
export async function joinTeamInTransaction(
  db: Kysely<Schema>,
  context: Context,
  input: JoinRequest,
): Promise<boolean> {
  const { teamId, accountId, invitationId: subjectId, actor } = input;
  await lockTeamQuery(db, teamId).execute();
  const timestamp = context.now();
  const acceptedInvitation = await acceptInvitationQuery(db, {
    ...input,
    timestamp,
  }).executeTakeFirst();
  if (acceptedInvitation === undefined) return false;
  const member = { id: context.newId(), teamId, accountId, role: "member", timestamp } as const;
  await insertMemberQuery(db, member)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await recordEvent(db, context, { action: "member_joined", actor, accountId, teamId, subjectId });
  return true;
}

/**
 * Locks the team, and applies the change that `decide` returns to one membership. Changes nothing if `decide` throws.
 * Throws `not_found` if there is no such member.
 */
export async function changeMember(
  context: Context,
  input: {
    readonly request: MemberChangeRequest;
    readonly target: MemberTarget;
    readonly decide: (facts: MembershipFacts) => MembershipChange;
  },
): Promise<void> {
  const { request, target } = input;
  await context.database.transaction(async (db) => {
    await lockTeamQuery(db, request.teamId).execute();
    const { facts, member } = await loadFacts(db, request, target);
    const change = input.decide(facts);
    if (member === null) throw createNoSuchMemberError();
    await applyChange(db, { member, change, timestamp: context.now() });
    await recordEvent(db, context, createChangeEvent(request, { facts, member, change }));
  });
}

/**
 * Locks the team, revokes the valid invitation to `email` (lower case), and applies the change that `decide` returns to
 * the membership of that address. Changes nothing if `decide` throws.
 */
export async function changeInvitedPerson(
  context: Context,
  input: MemberChangeRequest & {
    readonly email: string;
    readonly decide: (facts: MembershipFacts, wasInvited: boolean) => MembershipChange | null;
  },
): Promise<void> {
  const { teamId, actorId, email, actor } = input;
  await context.database.transaction(async (db) => {
    await lockTeamQuery(db, teamId).execute();
    const timestamp = context.now();
    const revokedInvitation = await revokeInvitationsQuery(db, { teamId, timestamp })
      .where("email", "=", email)
      .where("expires_at", ">", timestamp)
      .returning("id")
      .executeTakeFirst();
    const memberId = await findMemberByEmail(db, { teamId, email });
    const target = { kind: "member", memberId } as const;
    const { facts, member } = await loadFacts(db, { teamId, actorId, actor }, target);
    const change = input.decide(facts, revokedInvitation !== undefined);
    if (revokedInvitation !== undefined) {
      const event = { action: "invitation_withdrawn", actor, accountId: null, teamId } as const;
      await recordEvent(db, context, { ...event, subjectId: revokedInvitation.id });
    }
    if (change === null || member === null) return;
    await applyChange(db, { member, change, timestamp });
    await recordEvent(db, context, createChangeEvent(input, { facts, member, change }));
  });
}

function createChangeEvent(
  { teamId, actor }: Pick<MemberChangeRequest, "teamId" | "actor">,
  outcome: {
    readonly facts: MembershipFacts;
    readonly member: AffectedMember;
    readonly change: MembershipChange;
  },
): AuditEvent {
  const { facts, member, change } = outcome;
  const subject = { actor, accountId: member.accountId, teamId, subjectId: member.id };
  if (change.kind === "end") {
    return { action: facts.isSelf ? "member_left" : "member_removed", ...subject };
  }
  const role = { name: "role", before: facts.memberRole, after: change.role } as const;
  return { action: "member_role_changed", ...subject, changes: [role] };
}

/** Changes a membership, and revokes the member's invitations if the member may no longer invite. */
async function applyChange(
  db: Kysely<Schema>,
  input: {
    readonly member: AffectedMember;
    readonly change: MembershipChange;
    readonly timestamp: number;
  },
): Promise<void> {
  const { member, change, timestamp } = input;
  const values = change.kind === "end" ? { left_at: timestamp } : { role: change.role };
  await db.updateTable("team_member").set(values).where("id", "=", member.id).execute();
  if (change.kind === "role" && change.role !== "member") return;
  const { teamId, accountId } = member;
  await revokeInvitationsQuery(db, { teamId, timestamp })
    .where("invited_by", "=", accountId)
    .execute();
}

/** Returns the affected member, and the facts that determine whether the acting account may change it. */
async function loadFacts(
  db: Kysely<Schema>,
  { teamId, actorId }: MemberChangeRequest,
  target: MemberTarget,
): Promise<{ readonly facts: MembershipFacts; readonly member: AffectedMember | null }> {
  const memberId = target.kind === "self" ? null : target.memberId;
  const rows = await db
    .selectFrom("team_member")
    .select(["id", "account_id", "role"])
    .where("team_id", "=", teamId)
    .where("left_at", "is", null)
    .where((eb) =>
      eb.or([eb("account_id", "=", actorId), eb("id", "=", memberId), eb("role", "=", "owner")]),
    )
    .execute();
  const actor = rows.find((row) => row.account_id === actorId);
  const member = target.kind === "self" ? actor : rows.find((row) => row.id === memberId);
  const facts = {
    actorRole: actor?.role ?? null,
    memberRole: member?.role ?? null,
    isSelf: member !== undefined && member === actor,
    ownerCount: rows.filter((row) => row.role === "owner").length,
  };
  const affectedMember =
    member === undefined ? null : { id: member.id, teamId, accountId: member.account_id };
  return { facts, member: affectedMember };
}

function insertMemberQuery(
  db: Kysely<Schema>,
  member: {
    readonly id: string;
    readonly teamId: string;
    readonly accountId: string;
    readonly role: TeamRole;
    readonly timestamp: number;
  },
) {
  return db.insertInto("team_member").values({
    id: member.id,
    team_id: member.teamId,
    account_id: member.accountId,
    role: member.role,
    joined_at: member.timestamp,
    left_at: null,
  });
}
