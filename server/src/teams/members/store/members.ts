import type { ForeignStatement } from "#accounts/store/accounts.ts";
import type { TeamRole } from "@tocsin/sdk";
import type { Kysely } from "kysely";
import type { Actor, AuditEvent } from "#audit/event.ts";
import { record } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import { withinLimit } from "#database/within-limit.ts";
import { revocationQuery } from "../../invitations/store.ts";
import { acceptanceQuery } from "../../received/store.ts";
import { findMemberByEmail, teamLock } from "../../store/teams.ts";
import { memberNotFound, type MembershipChange, type MembershipFacts } from "../member.ts";

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
interface CurrentMember {
  /** The member id. */
  readonly id: string;
  readonly teamId: string;
  readonly accountId: string;
}

/**
 * Creates a team with its first owner and runs `alongside`, in one commit. Returns false if the account already owns
 * `limit` teams.
 */
export async function insertTeam(
  { database, now, newId }: Context,
  input: {
    readonly teamId: string;
    readonly name: string;
    readonly accountId: string;
    readonly limit: number;
    readonly alongside: readonly ForeignStatement[];
  },
): Promise<boolean> {
  const { teamId, name, accountId, limit, alongside } = input;
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
  const added = await withinLimit(
    database,
    { name: `teams ${accountId}`, most: limit, count },
    async (db) => {
      await db.insertInto("team").values({ id: teamId, name, created_at: timestamp }).execute();
      for (const statement of [memberInsert(db, owner), ...alongside]) {
        await db.executeQuery(statement.compile());
      }
      return "added";
    },
  );
  return added !== "full";
}

/**
 * Ends every membership of a team, revokes its invitations and runs `alongside`, in one commit. The rows stay, because
 * they record which notifications members could read.
 */
export async function dissolveTeam(
  { database, now }: Context,
  input: { readonly teamId: string; readonly alongside: readonly ForeignStatement[] },
): Promise<void> {
  const { db } = database;
  const { teamId } = input;
  const timestamp = now();
  await database.atomically([
    teamLock(db, teamId),
    revocationQuery(db, { teamId, timestamp }),
    db
      .updateTable("team_member")
      .set({ left_at: timestamp })
      .where("team_id", "=", teamId)
      .where("left_at", "is", null),
    ...input.alongside,
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
 * revoked or renewed meanwhile, or has expired. Does not change an existing member.
 */
export async function joinTeam(context: Context, input: JoinRequest): Promise<boolean> {
  return context.database.transaction((db) => joinTeamIn(db, context, input));
}

/** Does the same as `joinTeam` inside an existing transaction. */
export async function joinTeamIn(
  db: Kysely<Schema>,
  context: Context,
  input: JoinRequest,
): Promise<boolean> {
  const { teamId, accountId, invitationId: subjectId, actor } = input;
  await teamLock(db, teamId).execute();
  const timestamp = context.now();
  const accepted = await acceptanceQuery(db, { ...input, timestamp }).executeTakeFirst();
  if (accepted === undefined) return false;
  const member = { id: context.newId(), teamId, accountId, role: "member", timestamp } as const;
  await memberInsert(db, member)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await record(db, context, { action: "member_joined", actor, accountId, teamId, subjectId });
  return true;
}

/**
 * Applies the change that `decide` returns to one membership, with the team locked. Changes nothing if `decide`
 * throws.
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
    await teamLock(db, request.teamId).execute();
    const { facts, member } = await loadFacts(db, request, target);
    const change = input.decide(facts);
    if (member === null) throw memberNotFound();
    await applyChange(db, { member, change, timestamp: context.now() });
    await record(db, context, changeEvent(request, { facts, member, change }));
  });
}

/**
 * Revokes the valid invitation to `email` (lower case), then applies the change that `decide` returns to the
 * membership of that address, with the team locked. Changes nothing if `decide` throws.
 */
export async function changeInvited(
  context: Context,
  input: MemberChangeRequest & {
    readonly email: string;
    readonly decide: (facts: MembershipFacts, wasInvited: boolean) => MembershipChange | null;
  },
): Promise<void> {
  const { teamId, actorId, email, actor } = input;
  await context.database.transaction(async (db) => {
    await teamLock(db, teamId).execute();
    const timestamp = context.now();
    const revoked = await revocationQuery(db, { teamId, timestamp })
      .where("email", "=", email)
      .where("expires_at", ">", timestamp)
      .returning("id")
      .executeTakeFirst();
    const memberId = await findMemberByEmail(db, { teamId, email });
    const target = { kind: "member", memberId } as const;
    const { facts, member } = await loadFacts(db, { teamId, actorId, actor }, target);
    const change = input.decide(facts, revoked !== undefined);
    if (revoked !== undefined) {
      const event = { action: "invitation_withdrawn", actor, accountId: null, teamId } as const;
      await record(db, context, { ...event, subjectId: revoked.id });
    }
    if (change === null || member === null) return;
    await applyChange(db, { member, change, timestamp });
    await record(db, context, changeEvent(input, { facts, member, change }));
  });
}

function changeEvent(
  { teamId, actor }: Pick<MemberChangeRequest, "teamId" | "actor">,
  outcome: {
    readonly facts: MembershipFacts;
    readonly member: CurrentMember;
    readonly change: MembershipChange;
  },
): AuditEvent {
  const { facts, member, change } = outcome;
  const subject = { actor, accountId: member.accountId, teamId, subjectId: member.id };
  if (change.kind === "end") {
    return { action: facts.isSelf ? "member_left" : "member_removed", ...subject };
  }
  const role = { name: "role", before: facts.member, after: change.role } as const;
  return { action: "member_role_changed", ...subject, changes: [role] };
}

/** Also revokes the member's invitations if the member may no longer invite. */
async function applyChange(
  db: Kysely<Schema>,
  input: {
    readonly member: CurrentMember;
    readonly change: MembershipChange;
    readonly timestamp: number;
  },
): Promise<void> {
  const { member, change, timestamp } = input;
  const values = change.kind === "end" ? { left_at: timestamp } : { role: change.role };
  await db.updateTable("team_member").set(values).where("id", "=", member.id).execute();
  if (change.kind === "role" && change.role !== "member") return;
  const { teamId, accountId } = member;
  await revocationQuery(db, { teamId, timestamp }).where("invited_by", "=", accountId).execute();
}

/** Returns the affected member, and the facts that determine whether the acting account may change it. */
async function loadFacts(
  db: Kysely<Schema>,
  { teamId, actorId }: MemberChangeRequest,
  target: MemberTarget,
): Promise<{ readonly facts: MembershipFacts; readonly member: CurrentMember | null }> {
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
    actor: actor?.role ?? null,
    member: member?.role ?? null,
    isSelf: member !== undefined && member === actor,
    owners: rows.filter((row) => row.role === "owner").length,
  };
  const found =
    member === undefined ? null : { id: member.id, teamId, accountId: member.account_id };
  return { facts, member: found };
}

function memberInsert(
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
