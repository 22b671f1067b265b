import type { ForeignStatement } from "#accounts/store/accounts.ts";
import type { TeamRole } from "@tocsin/sdk";
import { sql, type Kysely, type Updateable } from "kysely";
import type { Actor } from "#audit/event.ts";
import { record } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import { refusesMails } from "#mail/store/refusals.ts";
import { VALIDITY_MS, type PendingInvitation } from "../invitations/invitation.ts";
import { isUnanswered, PENDING } from "../invitations/store.ts";
import { findMemberByEmail, teamLock } from "../store/teams.ts";
import { LIMIT_SPAN_MS, type InvitationFacts, type InvitationPlan } from "./plan.ts";

/** An invitation: by an account, to an address, into a team. */
export interface Inviting {
  readonly teamId: string;
  readonly inviterId: string;
  /** Lower case. */
  readonly email: string;
  readonly by: Actor;
}

/** The team and its member who invites. */
export interface InvitingSide {
  readonly teamName: string;
  readonly name: string;
  readonly email: string;
  readonly role: TeamRole;
}

/** The action taken, and the invitation as it is now; null if the person is already in the team. */
export interface Invited {
  readonly kind: InvitationPlan["kind"];
  readonly isNew: boolean;
  /** A mail was queued with it. */
  readonly isMailed: boolean;
  readonly invitation: PendingInvitation | null;
}

/** The hashes are the SHA-256 of the tokens, in hexadecimal. */
interface InvitingInput {
  readonly inviting: Inviting;
  readonly hashes: { readonly link: string; readonly mail: string };
  readonly decide: (facts: InvitationFacts) => InvitationPlan;
  readonly mailInsert: (side: InvitingSide) => ForeignStatement;
}

/**
 * Carries out the plan of `decide`, with its mail in the same commit; locks the team. If `decide` throws, nothing
 * changes. Returns null if the inviter is not in the team.
 */
export async function invitePerson(
  context: Context,
  input: InvitingInput,
): Promise<Invited | null> {
  return context.database.transaction(async (db) => {
    const { teamId, inviterId, email, by } = input.inviting;
    await teamLock(db, teamId).execute();
    // Limits count across teams; locked always in this order, to avoid deadlocks.
    await context.database.engine.hold(`invited ${email}`).execute(db);
    await context.database.engine.hold(`inviter ${inviterId}`).execute(db);
    const moment = context.now();
    const side = await findSide(db, input.inviting);
    if (side === undefined) return null;
    const plan = input.decide(await factsOf(db, { ...input.inviting, role: side.role, moment }));
    switch (plan.kind) {
      case "member":
        return { kind: plan.kind, isNew: false, isMailed: false, invitation: null };
      case "unchanged":
        return { kind: plan.kind, isNew: false, isMailed: false, invitation: plan.pending };
      case "relink": {
        // The person who hands a link over vouches for it, so it must not pass as the earlier inviter's.
        const link = { token_hash: input.hashes.link, expires_at: moment + VALIDITY_MS };
        const invitation = await renew(db, plan.pending.id, { ...link, invited_by: inviterId });
        return { kind: plan.kind, isNew: false, isMailed: false, invitation };
      }
      case "issue": {
        if (plan.sendsMail) await db.executeQuery(input.mailInsert(side).compile());
        const issued = { ...plan, ...input, id: context.newId(), moment };
        const invitation = await issue(db, issued);
        const isNew = plan.pending === null;
        const { id: subjectId } = invitation;
        await record(db, context, {
          action: "member_invited",
          by,
          accountId: null,
          teamId,
          subjectId,
        });
        return { kind: plan.kind, isNew, isMailed: plan.sendsMail, invitation };
      }
    }
  });
}

const COUNT = sql<number>`count(*)`.as("count");

async function findSide(
  db: Kysely<Schema>,
  { teamId, inviterId }: Inviting,
): Promise<InvitingSide | undefined> {
  return db
    .selectFrom("team_member")
    .innerJoin("team", "team.id", "team_member.team_id")
    .innerJoin("account", "account.id", "team_member.account_id")
    .select(["team.name as teamName", "account.name", "account.email", "team_member.role"])
    .where("team_member.team_id", "=", teamId)
    .where("team_member.account_id", "=", inviterId)
    .where("team_member.left_at", "is", null)
    .executeTakeFirst();
}

async function factsOf(
  db: Kysely<Schema>,
  input: Inviting & { readonly role: TeamRole; readonly moment: number },
): Promise<InvitationFacts> {
  const { teamId, inviterId, email } = input;
  const since = input.moment - LIMIT_SPAN_MS;
  const found = await findPending(db, input);
  const counts = await db
    .selectNoFrom((query) => [
      query
        .selectFrom("invitation")
        .select(COUNT)
        .where("invited_by", "=", inviterId)
        // An old invitation mailed again counts as one of today.
        .where((is) => is.or([is("created_at", ">", since), is("mailed_at", ">", since)]))
        .as("invited"),
      query
        .selectFrom("invitation")
        .select(COUNT)
        .where("email", "=", email)
        .where("mailed_at", ">", since)
        .as("mailed"),
    ])
    .executeTakeFirstOrThrow();
  return {
    inviterRole: input.role,
    isMember: (await findMemberByEmail(db, { teamId, email })) !== null,
    ...found,
    invited: Number(counts.invited),
    mailed: Number(counts.mailed),
    refusesMails: await refusesMails(db, email),
  };
}

async function findPending(
  db: Kysely<Schema>,
  { teamId, inviterId, email }: Inviting,
): Promise<Pick<InvitationFacts, "pending" | "isOwn" | "isHalted">> {
  const row = await db
    .selectFrom("invitation")
    .innerJoin("account", "account.id", "invitation.invited_by")
    .select(PENDING)
    .select(["invitation.invited_by as invitedBy", "account.suspended_at as suspendedAt"])
    .where("team_id", "=", teamId)
    .where("invitation.email", "=", email)
    .where(isUnanswered)
    .executeTakeFirst();
  if (row === undefined) return { pending: null, isOwn: false, isHalted: false };
  const { invitedBy, suspendedAt, ...pending } = row;
  return { pending, isOwn: invitedBy === inviterId, isHalted: suspendedAt !== null };
}

async function issue(
  db: Kysely<Schema>,
  input: Pick<InvitingInput, "inviting" | "hashes"> & {
    readonly pending: PendingInvitation | null;
    readonly sendsMail: boolean;
    readonly id: string;
    readonly moment: number;
  },
): Promise<PendingInvitation> {
  const { inviting, hashes, pending, id, moment } = input;
  const values = {
    invited_by: inviting.inviterId,
    token_hash: hashes.link,
    mail_token_hash: hashes.mail,
    expires_at: moment + VALIDITY_MS,
    ...(input.sendsMail ? { mailed_at: moment } : {}),
  };
  if (pending !== null && input.sendsMail) return renew(db, pending.id, values);
  // Without a mail to replace it, the last mailed link must go on stopping and resuming mails: its row stays, revoked.
  if (pending !== null) await renew(db, pending.id, { revoked_at: moment });
  const { teamId, email } = inviting;
  return db
    .insertInto("invitation")
    .values({ ...values, id, team_id: teamId, email, created_at: moment })
    .returning(PENDING)
    .executeTakeFirstOrThrow();
}

async function renew(
  db: Kysely<Schema>,
  id: string,
  values: Updateable<Schema["invitation"]>,
): Promise<PendingInvitation> {
  return db
    .updateTable("invitation")
    .set(values)
    .where("id", "=", id)
    .returning(PENDING)
    .executeTakeFirstOrThrow();
}
