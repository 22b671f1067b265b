import type { JoinedStatement } from "#accounts/store/accounts.ts";
import type { TeamRole } from "@tocsin/sdk";
import { sql, type Kysely, type Updateable } from "kysely";
import type { Actor } from "#audit/event.ts";
import { recordEvent } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import { hasRefusedMails } from "#mail/store/refusals.ts";
import { INVITATION_TTL_MS, type PendingInvitation } from "../invitations/invitation.ts";
import { isPending, PENDING_INVITATION_COLUMNS } from "../invitations/store.ts";
import { findMemberByEmail, lockTeamQuery } from "../store/teams.ts";
import { LIMIT_PERIOD_MS, type InvitationFacts, type InvitationPlan } from "./plan.ts";

/** An invitation by an account, to an email address, for a team. */
export interface InvitationRequest {
  readonly teamId: string;
  readonly inviterId: string;
  /** Lower case. */
  readonly email: string;
  readonly actor: Actor;
}

/** The inviting member, and the name of the team. */
export interface Inviter {
  readonly teamName: string;
  readonly name: string;
  readonly email: string;
  readonly role: TeamRole;
}

/** The effect of an invitation request. */
export interface InvitationResult {
  readonly kind: InvitationPlan["kind"];
  readonly isNew: boolean;
  /** Whether an email was queued. */
  readonly isMailed: boolean;
  /** The current invitation; null if the person is already in the team. */
  readonly invitation: PendingInvitation | null;
}

/** An invitation request. The hashes are the SHA-256 of its tokens, in hexadecimal. */
interface InvitePersonInput {
  readonly request: InvitationRequest;
  readonly hashes: { readonly link: string; readonly mail: string };
  readonly decidePlan: (facts: InvitationFacts) => InvitationPlan;
  readonly insertMailQuery: (inviter: Inviter) => JoinedStatement;
}

/**
 * Carries out the plan that `decidePlan` returns, and queues the email in the same commit. Locks the team, the address
 * and the inviter. Changes nothing if `decidePlan` throws. Returns null if the inviter is not in the team.
 */
export async function invitePerson(
  context: Context,
  input: InvitePersonInput,
): Promise<InvitationResult | null> {
  return context.database.transaction(async (db) => {
    const { teamId, inviterId, email, actor } = input.request;
    await lockTeamQuery(db, teamId).execute();
    // The limits apply across teams. The locks are always taken in this order, to avoid deadlocks.
    await context.database.engine.lockName(`invited ${email}`).execute(db);
    await context.database.engine.lockName(`inviter ${inviterId}`).execute(db);
    const timestamp = context.now();
    const inviter = await findInviter(db, input.request);
    if (inviter === undefined) return null;
    const plan = input.decidePlan(
      await collectFacts(db, { ...input.request, role: inviter.role, timestamp }),
    );
    switch (plan.kind) {
      case "member":
        return { kind: plan.kind, isNew: false, isMailed: false, invitation: null };
      case "unchanged":
        return { kind: plan.kind, isNew: false, isMailed: false, invitation: plan.pending };
      case "relink": {
        // The person who shares the link vouches for it, so the invitation must name that person as the inviter.
        const linkValues = {
          token_hash: input.hashes.link,
          expires_at: timestamp + INVITATION_TTL_MS,
        };
        const invitation = await renewInvitation(db, plan.pending.id, {
          ...linkValues,
          invited_by: inviterId,
        });
        return { kind: plan.kind, isNew: false, isMailed: false, invitation };
      }
      case "issue": {
        if (plan.isMailed) await db.executeQuery(input.insertMailQuery(inviter).compile());
        const issueInput = { ...plan, ...input, id: context.newId(), timestamp };
        const invitation = await issueInvitation(db, issueInput);
        const isNew = plan.pending === null;
        const { id: subjectId } = invitation;
        await recordEvent(db, context, {
          action: "member_invited",
          actor,
          accountId: null,
          teamId,
          subjectId,
        });
        return { kind: plan.kind, isNew, isMailed: plan.isMailed, invitation };
      }
    }
  });
}

const ROW_COUNT = sql<number>`count(*)`.as("count");

async function findInviter(
  db: Kysely<Schema>,
  { teamId, inviterId }: InvitationRequest,
): Promise<Inviter | undefined> {
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

async function collectFacts(
  db: Kysely<Schema>,
  input: InvitationRequest & { readonly role: TeamRole; readonly timestamp: number },
): Promise<InvitationFacts> {
  const { teamId, inviterId, email } = input;
  const periodStartedAt = input.timestamp - LIMIT_PERIOD_MS;
  const pendingFacts = await findPendingInvitation(db, input);
  const counts = await db
    .selectNoFrom((eb) => [
      eb
        .selectFrom("invitation")
        .select(ROW_COUNT)
        .where("invited_by", "=", inviterId)
        // An old invitation that is emailed again counts as new.
        .where((eb) =>
          eb.or([eb("created_at", ">", periodStartedAt), eb("mailed_at", ">", periodStartedAt)]),
        )
        .as("invited"),
      eb
        .selectFrom("invitation")
        .select(ROW_COUNT)
        .where("email", "=", email)
        .where("mailed_at", ">", periodStartedAt)
        .as("mailed"),
    ])
    .executeTakeFirstOrThrow();
  return {
    inviterRole: input.role,
    isMember: (await findMemberByEmail(db, { teamId, email })) !== null,
    ...pendingFacts,
    invitedCount: Number(counts.invited),
    mailedCount: Number(counts.mailed),
    hasRefusedMails: await hasRefusedMails(db, email),
  };
}

async function findPendingInvitation(
  db: Kysely<Schema>,
  { teamId, inviterId, email }: InvitationRequest,
): Promise<Pick<InvitationFacts, "pending" | "isOwnInvitation" | "isPendingInviterSuspended">> {
  const row = await db
    .selectFrom("invitation")
    .innerJoin("account", "account.id", "invitation.invited_by")
    .select(PENDING_INVITATION_COLUMNS)
    .select(["invitation.invited_by as invitedBy", "account.suspended_at as suspendedAt"])
    .where("team_id", "=", teamId)
    .where("invitation.email", "=", email)
    .where(isPending)
    .executeTakeFirst();
  if (row === undefined)
    return { pending: null, isOwnInvitation: false, isPendingInviterSuspended: false };
  const { invitedBy, suspendedAt, ...pending } = row;
  return {
    pending,
    isOwnInvitation: invitedBy === inviterId,
    isPendingInviterSuspended: suspendedAt !== null,
  };
}

async function issueInvitation(
  db: Kysely<Schema>,
  input: Pick<InvitePersonInput, "request" | "hashes"> & {
    readonly pending: PendingInvitation | null;
    readonly isMailed: boolean;
    readonly id: string;
    readonly timestamp: number;
  },
): Promise<PendingInvitation> {
  const { request, hashes, pending, id, timestamp } = input;
  const values = {
    invited_by: request.inviterId,
    token_hash: hashes.link,
    mail_token_hash: hashes.mail,
    expires_at: timestamp + INVITATION_TTL_MS,
    ...(input.isMailed ? { mailed_at: timestamp } : {}),
  };
  if (pending !== null && input.isMailed) return renewInvitation(db, pending.id, values);
  // No new email replaces the last one, so the link in the last email must still unsubscribe and resubscribe. The
  // invitation of that link is therefore kept, as revoked.
  if (pending !== null) await renewInvitation(db, pending.id, { revoked_at: timestamp });
  const { teamId, email } = request;
  return db
    .insertInto("invitation")
    .values({ ...values, id, team_id: teamId, email, created_at: timestamp })
    .returning(PENDING_INVITATION_COLUMNS)
    .executeTakeFirstOrThrow();
}

async function renewInvitation(
  db: Kysely<Schema>,
  id: string,
  values: Updateable<Schema["invitation"]>,
): Promise<PendingInvitation> {
  return db
    .updateTable("invitation")
    .set(values)
    .where("id", "=", id)
    .returning(PENDING_INVITATION_COLUMNS)
    .executeTakeFirstOrThrow();
}
