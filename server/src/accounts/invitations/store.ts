import type { Kysely } from "kysely";
import type { Actor } from "#audit/event.ts";
import { runAndRecord } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import type { Schema } from "#database/schema.ts";

/** An invitation to the server, without a team. All times are milliseconds since the epoch. */
export interface SignUpInvitation {
  readonly id: string;
  /** Lower case; null if anyone with the link may use it. */
  readonly email: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** Returns the query that stores an invitation with the hashes of its tokens. */
export function insertSignUpInvitationQuery(
  { database: { db } }: Context,
  input: SignUpInvitation & {
    readonly invitedBy: string;
    readonly tokenHash: string;
    /** Null if no email is sent. */
    readonly mailTokenHash: string | null;
  },
): Compilable {
  return db.insertInto("sign_up_invitation").values({
    id: input.id,
    email: input.email,
    token_hash: input.tokenHash,
    mail_token_hash: input.mailTokenHash,
    invited_by: input.invitedBy,
    created_at: input.createdAt,
    expires_at: input.expiresAt,
  });
}

/** Returns up to `limit` valid invitations, newest first, after the id `after`. */
export async function listSignUpInvitations(
  { database: { db }, now }: Context,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<readonly SignUpInvitation[]> {
  const invitations = db
    .selectFrom("sign_up_invitation")
    .select(["id", "email", "created_at as createdAt", "expires_at as expiresAt"])
    .where("expires_at", ">", now())
    .orderBy("id", "desc")
    .limit(limit);
  return (after === null ? invitations : invitations.where("id", "<", after)).execute();
}

/** Revokes an invitation; returns false if there is none. */
export async function removeSignUpInvitation(
  context: Context,
  { id, actor }: { readonly id: string; readonly actor: Actor },
): Promise<boolean> {
  const row = await runAndRecord(
    context,
    (db) =>
      db.deleteFrom("sign_up_invitation").where("id", "=", id).returning("id").executeTakeFirst(),
    () => ({ action: "sign_up_invitation_withdrawn", actor, accountId: null, subjectId: id }),
  );
  return row !== undefined;
}

/**
 * Returns the recipient of an invitation, by the hash of its token; null if the token is unknown, used or expired.
 */
export async function findSignUpInvitation(
  { database: { db }, now }: Context,
  tokenHash: string,
): Promise<{ readonly email: string | null; readonly isMailed: boolean } | null> {
  const row = await db
    .selectFrom("sign_up_invitation")
    .select(["email", "mail_token_hash"])
    .where((eb) => eb.or([eb("token_hash", "=", tokenHash), eb("mail_token_hash", "=", tokenHash)]))
    .where("expires_at", ">", now())
    .executeTakeFirst();
  if (row === undefined) return null;
  return { email: row.email, isMailed: row.mail_token_hash === tokenHash };
}

/**
 * Uses up an invitation, in the transaction that creates the account. Returns false if it was used, revoked or has
 * expired.
 */
export async function spendInvitation(
  db: Kysely<Schema>,
  { invitationHash, now }: { readonly invitationHash: string; readonly now: number },
): Promise<boolean> {
  const deletedRow = await db
    .deleteFrom("sign_up_invitation")
    .where((eb) =>
      eb.or([eb("token_hash", "=", invitationHash), eb("mail_token_hash", "=", invitationHash)]),
    )
    .where("expires_at", ">", now)
    .returning("id")
    .executeTakeFirst();
  return deletedRow !== undefined;
}
