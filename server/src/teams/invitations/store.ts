import type { ExpressionBuilder, Kysely } from "kysely";
import type { Actor } from "#audit/event.ts";
import { recorded } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import { DAY_MS } from "#schema/moment.ts";
import type { PendingInvitation } from "./invitation.ts";

/** Returns the invitations of a team that can be accepted now, oldest first. */
export async function listPending(
  { database: { db }, now }: Context,
  teamId: string,
): Promise<readonly PendingInvitation[]> {
  return db
    .selectFrom("invitation")
    .select(PENDING)
    .where("team_id", "=", teamId)
    .where(isUnanswered)
    .where("expires_at", ">", now())
    .orderBy("id")
    .execute();
}

/** Revokes one valid invitation of a team; returns false if there is none. */
export async function revokeInvitation(
  context: Context,
  input: { readonly teamId: string; readonly invitationId: string; readonly by: Actor },
): Promise<boolean> {
  const { teamId, invitationId: subjectId, by } = input;
  const moment = context.now();
  const row = await recorded(
    context,
    (db) =>
      revocation(db, { teamId, moment })
        .where("id", "=", subjectId)
        .where("expires_at", ">", moment)
        .returning("id")
        .executeTakeFirst(),
    () => ({ action: "invitation_withdrawn", by, accountId: null, teamId, subjectId }),
  );
  return row !== undefined;
}

/** Addresses of people are in an invitation who never had an account. */
const REST_MS = 30 * DAY_MS;

/** Deletes invitations, answered ones too, that expired 30 days ago; at most `limit`, and returns how many. */
export async function pruneInvitations(
  { database: { db }, now }: Context,
  limit: number,
): Promise<number> {
  const rows = await db
    .selectFrom("invitation")
    .select("id")
    .where("expires_at", "<", now() - REST_MS)
    .limit(limit)
    .execute();
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) await db.deleteFrom("invitation").where("id", "in", ids).execute();
  return ids.length;
}

/** Returns the statement that revokes every unanswered invitation of a team, to be narrowed by its caller. */
export function revocation(
  db: Kysely<Schema>,
  { teamId, moment }: { readonly teamId: string; readonly moment: number },
) {
  return db
    .updateTable("invitation")
    .set({ revoked_at: moment })
    .where("team_id", "=", teamId)
    .where(isUnanswered);
}

/** Returns the condition that an invitation was not accepted, declined or revoked. */
export function isUnanswered(is: ExpressionBuilder<Schema, "invitation">) {
  return is.and([
    is("invitation.accepted_at", "is", null),
    is("invitation.declined_at", "is", null),
    is("invitation.revoked_at", "is", null),
  ]);
}

/** The columns of a `PendingInvitation`. */
export const PENDING = [
  "invitation.id",
  "invitation.email",
  "invitation.created_at as createdAt",
  "invitation.expires_at as expiresAt",
  "invitation.mailed_at as mailedAt",
] as const;
