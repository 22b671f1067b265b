import type { Kysely } from "kysely";
import type { Actor } from "#audit/event.ts";
import { recorded } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import type { Schema } from "#database/schema.ts";
import { isUnanswered } from "../invitations/store.ts";

/** An unanswered invitation that is about to be accepted; it may have expired. */
export interface OpenInvitation {
  readonly id: string;
  readonly teamId: string;
  readonly email: string;
  readonly expiresAt: number;
}

/** An invitation as its recipient sees it. */
export interface ReceivedRow {
  readonly id: string;
  readonly teamId: string;
  readonly teamName: string;
  readonly inviterName: string;
  readonly inviterEmail: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** An open invitation with what its token says about its holder. */
export interface OpenedInvitation extends OpenInvitation {
  /** The token is the mailed one. */
  readonly isMailed: boolean;
  /** An administrator of this server made the link. */
  readonly isByAdministrator: boolean;
}

/** Returns the unanswered invitation of a token. */
export async function findByToken(
  { database: { db } }: Context,
  tokenHash: string,
): Promise<OpenedInvitation | null> {
  const row = await openInvitations(db)
    .select(["mail_token_hash as mailTokenHash", "account.is_admin as isAdmin"])
    .where((is) => is.or([is("token_hash", "=", tokenHash), is("mail_token_hash", "=", tokenHash)]))
    .executeTakeFirst();
  if (row === undefined) return null;
  const { mailTokenHash, isAdmin, ...invitation } = row;
  const isMailed = mailTokenHash === tokenHash;
  return { ...invitation, isMailed, isByAdministrator: Boolean(isAdmin) };
}

/** An invitation as the holder of its token sees it. */
export interface InvitationBehindToken {
  readonly teamName: string;
  readonly inviterName: string;
  readonly email: string;
  readonly expiresAt: number;
  /** The token is the mailed one. */
  readonly isMailed: boolean;
  readonly isAccepted: boolean;
}

/** Returns the unanswered invitation of a token, or the one by which the account is in the team. */
export async function findBehindToken(
  { database: { db } }: Context,
  { tokenHash, accountId }: { readonly tokenHash: string; readonly accountId: string | null },
): Promise<InvitationBehindToken | null> {
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
    .where((is) => is.or([is("token_hash", "=", tokenHash), is("mail_token_hash", "=", tokenHash)]))
    .where((is) =>
      is.or([
        is.and([isUnanswered(is), is("account.suspended_at", "is", null)]),
        is.and([
          is("invitation.accepted_at", "is not", null),
          is("team_member.account_id", "is not", null),
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

/** Returns the address to which the token was mailed, whatever the state of the invitation; null for all other tokens. */
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

/** Returns an unanswered invitation to `email` (lower case) by its id. */
export async function findByRecipient(
  { database: { db } }: Context,
  { invitationId, email }: { readonly invitationId: string; readonly email: string },
): Promise<OpenInvitation | null> {
  const row = await openInvitations(db)
    .where("invitation.id", "=", invitationId)
    .where("invitation.email", "=", email)
    .executeTakeFirst();
  return row ?? null;
}

/** Returns up to `limit` valid invitations to `email` (lower case), oldest first, after the id `after`. */
export async function listReceived(
  { database: { db }, now }: Context,
  input: { readonly email: string; readonly after: string | null; readonly limit: number },
): Promise<readonly ReceivedRow[]> {
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
    .where(isUnanswered)
    .where("account.suspended_at", "is", null)
    .where("invitation.expires_at", ">", now())
    .where("invitation.id", ">", input.after ?? "")
    .orderBy("invitation.id")
    .limit(input.limit)
    .execute();
}

/** Declines a valid invitation to `email` (lower case); returns false if there is none. */
export async function declineReceived(
  context: Context,
  input: {
    readonly invitationId: string;
    readonly email: string;
    readonly accountId: string;
    readonly by: Actor;
  },
): Promise<boolean> {
  const { invitationId: subjectId, email, accountId, by } = input;
  const moment = context.now();
  const row = await recorded(
    context,
    (db) =>
      db
        .updateTable("invitation")
        .set({ declined_at: moment })
        .where("id", "=", subjectId)
        .where("email", "=", email)
        .where("expires_at", ">", moment)
        .where(isUnanswered)
        .returning("team_id as teamId")
        .executeTakeFirst(),
    ({ teamId }) => ({ action: "invitation_declined", by, accountId, teamId, subjectId }),
  );
  return row !== undefined;
}

/**
 * Returns the statement that uses up an invitation, and returns its id if it was still valid; with a `tokenHash`, only
 * while that token is valid.
 */
export function acceptance(
  db: Kysely<Schema>,
  input: {
    readonly invitationId: string;
    readonly tokenHash: string | null;
    readonly moment: number;
  },
) {
  const { invitationId, tokenHash, moment } = input;
  const statement = db
    .updateTable("invitation")
    .set({ accepted_at: moment })
    .where("id", "=", invitationId)
    .where("expires_at", ">", moment)
    .where(isUnanswered)
    .where("invited_by", "in", (query) =>
      query.selectFrom("account").select("account.id").where("suspended_at", "is", null),
    )
    .returning("id");
  if (tokenHash === null) return statement;
  return statement.where((is) =>
    is.or([is("token_hash", "=", tokenHash), is("mail_token_hash", "=", tokenHash)]),
  );
}

/** Invitations by a suspended member are invalid while the suspension lasts. */
function openInvitations(db: Kysely<Schema>) {
  return db
    .selectFrom("invitation")
    .innerJoin("account", "account.id", "invitation.invited_by")
    .select(["invitation.id", "invitation.team_id as teamId", "invitation.email"])
    .select("invitation.expires_at as expiresAt")
    .where(isUnanswered)
    .where("account.suspended_at", "is", null);
}

/** Returns the query that deletes every invitation to an address, to be committed with the end of its account. */
export function forgetReceivedQuery({ database: { db } }: Context, email: string): Compilable {
  return db.deleteFrom("invitation").where("email", "=", email);
}
