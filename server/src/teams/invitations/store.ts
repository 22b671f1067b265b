import type { ExpressionBuilder, Kysely } from "kysely";
import type { Actor } from "#audit/event.ts";
import { runAndRecord } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import { DAY_MS } from "#schema/timestamp.ts";
import type { PendingInvitation } from "./invitation.ts";

/** Returns the pending invitations of a team that have not expired, oldest first. */
export async function listPendingInvitations(
  { database: { db }, now }: Context,
  teamId: string,
): Promise<readonly PendingInvitation[]> {
  return db
    .selectFrom("invitation")
    .select(PENDING_INVITATION_COLUMNS)
    .where("team_id", "=", teamId)
    .where(isPending)
    .where("expires_at", ">", now())
    .orderBy("id")
    .execute();
}

/** Revokes a valid invitation of a team; returns false if there is none. */
export async function markInvitationRevoked(
  context: Context,
  input: { readonly teamId: string; readonly invitationId: string; readonly actor: Actor },
): Promise<boolean> {
  const { teamId, invitationId: subjectId, actor } = input;
  const timestamp = context.now();
  const row = await runAndRecord(
    context,
    (db) =>
      revokeInvitationsQuery(db, { teamId, timestamp })
        .where("id", "=", subjectId)
        .where("expires_at", ">", timestamp)
        .returning("id")
        .executeTakeFirst(),
    () => ({ action: "invitation_withdrawn", actor, accountId: null, teamId, subjectId }),
  );
  return row !== undefined;
}

/** Invitations are not kept for longer: they contain addresses of people who may never have had an account. */
const RETENTION_AFTER_EXPIRY_MS = 30 * DAY_MS;

/** Deletes up to `limit` invitations that expired over 30 days ago, answered or not. Returns their number. */
export async function pruneInvitations(
  { database: { db }, now }: Context,
  limit: number,
): Promise<number> {
  const rows = await db
    .selectFrom("invitation")
    .select("id")
    .where("expires_at", "<", now() - RETENTION_AFTER_EXPIRY_MS)
    .limit(limit)
    .execute();
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) await db.deleteFrom("invitation").where("id", "in", ids).execute();
  return ids.length;
}

/** Returns the statement that revokes every pending invitation of a team. Callers add conditions. */
export function revokeInvitationsQuery(
  db: Kysely<Schema>,
  { teamId, timestamp }: { readonly teamId: string; readonly timestamp: number },
) {
  return db
    .updateTable("invitation")
    .set({ revoked_at: timestamp })
    .where("team_id", "=", teamId)
    .where(isPending);
}

/** Returns the condition that an invitation is not accepted, declined or revoked. */
export function isPending(eb: ExpressionBuilder<Schema, "invitation">) {
  return eb.and([
    eb("invitation.accepted_at", "is", null),
    eb("invitation.declined_at", "is", null),
    eb("invitation.revoked_at", "is", null),
  ]);
}

/** The columns of a `PendingInvitation`. */
export const PENDING_INVITATION_COLUMNS = [
  "invitation.id",
  "invitation.email",
  "invitation.created_at as createdAt",
  "invitation.expires_at as expiresAt",
  "invitation.mailed_at as mailedAt",
] as const;
