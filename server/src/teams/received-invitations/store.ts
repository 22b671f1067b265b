import type { Kysely } from "kysely";
import type { Actor } from "#audit/event.ts";
import { runAndRecord } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import type { Schema } from "#database/schema.ts";
import { isPending } from "../invitations/store.ts";

/** A pending invitation by an account that is not suspended. It may have expired. */
export interface OpenInvitation {
  readonly id: string;
  readonly teamId: string;
  readonly email: string;
  readonly expiresAt: number;
}

/** An invitation as its recipient sees it. */
export interface ReceivedInvitationRow {
  readonly id: string;
  readonly teamId: string;
  readonly teamName: string;
  readonly inviterName: string;
  readonly inviterEmail: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** An open invitation, with facts about the token that found it. */
export interface TokenInvitation extends OpenInvitation {
  /** Whether the token is the emailed one. */
  readonly isMailed: boolean;
  /** Whether an administrator of this server created the link. */
  readonly isByAdministrator: boolean;
}

/** Returns the open invitation of a token; null if there is none. */
export async function findInvitationByToken(
  { database: { db } }: Context,
  tokenHash: string,
): Promise<TokenInvitation | null> {
  const row = await selectOpenInvitations(db)
    .select(["mail_token_hash as mailTokenHash", "account.is_admin as isAdmin"])
    .where((eb) => eb.or([eb("token_hash", "=", tokenHash), eb("mail_token_hash", "=", tokenHash)]))
    .executeTakeFirst();
  if (row === undefined) return null;
  const { mailTokenHash, isAdmin, ...invitation } = row;
  const isMailed = mailTokenHash === tokenHash;
  return { ...invitation, isMailed, isByAdministrator: Boolean(isAdmin) };
}

/** A row of an invitation as the holder of its token sees it. */
export interface InvitationPreviewRow {
  readonly teamName: string;
  readonly inviterName: string;
  readonly email: string;
  readonly expiresAt: number;
  /** Whether the token is the emailed one. */
  readonly isMailed: boolean;
  readonly isAccepted: boolean;
}

/** Returns the open invitation of a token, or the accepted one if the account is its recipient and still a member. */
export async function findInvitationPreview(
  { database: { db } }: Context,
  { tokenHash, accountId }: { readonly tokenHash: string; readonly accountId: string | null },
): Promise<InvitationPreviewRow | null> {
  const row = await db
    .selectFrom("invitation")
    .innerJoin("team", "team.id", "invitation.team_id")
    .innerJoin("account", "account.id", "invitation.invited_by")
    .leftJoin("account as recipient", (join) =>
      join.onRef("recipient.email", "=", "invitation.email").on("recipient.id", "=", accountId),
    )
    .leftJoin("team_member", (join) =>
      join
        .onRef("team_member.team_id", "=", "invitation.team_id")
        .onRef("team_member.account_id", "=", "recipient.id")
        .on("team_member.left_at", "is", null),
    )
    .select([
      "team.name as teamName",
      "account.name as inviterName",
      "invitation.email",
      "invitation.expires_at as expiresAt",
      "invitation.accepted_at as acceptedAt",
      "invitation.mail_token_hash as mailTokenHash",
    ])
    .where((eb) => eb.or([eb("token_hash", "=", tokenHash), eb("mail_token_hash", "=", tokenHash)]))
    .where((eb) =>
      eb.or([
        eb.and([isPending(eb), eb("account.suspended_at", "is", null)]),
        eb.and([
          eb("invitation.accepted_at", "is not", null),
          eb("team_member.account_id", "is not", null),
        ]),
      ]),
    )
    .executeTakeFirst();
  if (row === undefined) return null;
  const { mailTokenHash, acceptedAt, ...invitation } = row;
  return {
    ...invitation,
    isMailed: mailTokenHash === tokenHash,
    isAccepted: acceptedAt !== null,
  };
}

/** Returns the address that the token was emailed to, in any state of the invitation; null for any other token. */
export async function findMailedAddress(
  { database: { db } }: Context,
  mailTokenHash: string,
): Promise<string | null> {
  const row = await db
    .selectFrom("invitation")
    .select("email")
    .where("mail_token_hash", "=", mailTokenHash)
    .executeTakeFirst();
  return row?.email ?? null;
}

/** Returns an open invitation to `email` (lower case) by its id; null if there is none. */
export async function findInvitationByRecipient(
  { database: { db } }: Context,
  { invitationId, email }: { readonly invitationId: string; readonly email: string },
): Promise<OpenInvitation | null> {
  const row = await selectOpenInvitations(db)
    .where("invitation.id", "=", invitationId)
    .where("invitation.email", "=", email)
    .executeTakeFirst();
  return row ?? null;
}

/** Returns up to `limit` valid invitations to `email` (lower case), oldest first, after the id `after`. */
export async function listReceivedInvitationRows(
  { database: { db }, now }: Context,
  input: { readonly email: string; readonly after: string | null; readonly limit: number },
): Promise<readonly ReceivedInvitationRow[]> {
  return db
    .selectFrom("invitation")
    .innerJoin("team", "team.id", "invitation.team_id")
    .innerJoin("account", "account.id", "invitation.invited_by")
    .select([
      "invitation.id",
      "team.id as teamId",
      "team.name as teamName",
      "account.name as inviterName",
      "account.email as inviterEmail",
      "invitation.created_at as createdAt",
      "invitation.expires_at as expiresAt",
    ])
    .where("invitation.email", "=", input.email)
    .where(isPending)
    .where("account.suspended_at", "is", null)
    .where("invitation.expires_at", ">", now())
    .where("invitation.id", ">", input.after ?? "")
    .orderBy("invitation.id")
    .limit(input.limit)
    .execute();
}

/** Declines a valid invitation to `email` (lower case); returns false if there is none. */
export async function markInvitationDeclined(
  context: Context,
  input: {
    readonly invitationId: string;
    readonly email: string;
    readonly accountId: string;
    readonly actor: Actor;
  },
): Promise<boolean> {
  const { invitationId: subjectId, email, accountId, actor } = input;
  const timestamp = context.now();
  const row = await runAndRecord(
    context,
    (db) =>
      db
        .updateTable("invitation")
        .set({ declined_at: timestamp })
        .where("id", "=", subjectId)
        .where("email", "=", email)
        .where("expires_at", ">", timestamp)
        .where(isPending)
        .returning("team_id as teamId")
        .executeTakeFirst(),
    ({ teamId }) => ({ action: "invitation_declined", actor, accountId, teamId, subjectId }),
  );
  return row !== undefined;
}

/**
 * Returns the statement that uses up an invitation. The statement returns the id if the invitation was still valid.
 * With a `tokenHash`, that token must still be valid.
 */
export function acceptInvitationQuery(
  db: Kysely<Schema>,
  input: {
    readonly invitationId: string;
    readonly tokenHash: string | null;
    readonly timestamp: number;
  },
) {
  const { invitationId, tokenHash, timestamp } = input;
  const statement = db
    .updateTable("invitation")
    .set({ accepted_at: timestamp })
    .where("id", "=", invitationId)
    .where("expires_at", ">", timestamp)
    .where(isPending)
    .where("invited_by", "in", (eb) =>
      eb.selectFrom("account").select("account.id").where("suspended_at", "is", null),
    )
    .returning("id");
  if (tokenHash === null) return statement;
  return statement.where((eb) =>
    eb.or([eb("token_hash", "=", tokenHash), eb("mail_token_hash", "=", tokenHash)]),
  );
}

/** Returns a query for the pending invitations. An invitation is invalid while the person who sent it is suspended. */
function selectOpenInvitations(db: Kysely<Schema>) {
  return db
    .selectFrom("invitation")
    .innerJoin("account", "account.id", "invitation.invited_by")
    .select(["invitation.id", "invitation.team_id as teamId", "invitation.email"])
    .select("invitation.expires_at as expiresAt")
    .where(isPending)
    .where("account.suspended_at", "is", null);
}

/** Returns the query that deletes every invitation to an address, for the transaction that deletes its account. */
export function deleteReceivedInvitationsQuery(
  { database: { db } }: Context,
  email: string,
): Compilable {
  return db.deleteFrom("invitation").where("email", "=", email);
}
