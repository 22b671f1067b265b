import type { ExpressionBuilder, Kysely } from "kysely";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
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

/** Revokes one good invitation of a team; returns false where there is none. */
export async function revokeInvitation(
  { database: { db }, now }: Context,
  { teamId, invitationId }: { readonly teamId: string; readonly invitationId: string },
): Promise<boolean> {
  const moment = now();
  const row = await revocation(db, { teamId, moment })
    .where("id", "=", invitationId)
    .where("expires_at", ">", moment)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

/** The statement that revokes every unanswered invitation of a team, to be narrowed by its caller. */
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

/** The condition that an invitation was neither accepted, declined nor revoked. */
export function isUnanswered(is: ExpressionBuilder<Schema, "invitation">) {
  return is.and([
    is("invitation.accepted_at", "is", null),
    is("invitation.declined_at", "is", null),
    is("invitation.revoked_at", "is", null),
  ]);
}

/** The columns of a `PendingInvitation`. */
export const PENDING = [
  "id",
  "email",
  "created_at as createdAt",
  "expires_at as expiresAt",
  "mailed_at as mailedAt",
] as const;
