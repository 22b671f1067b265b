import type { Kysely } from "kysely";
import type { AuditEvent } from "#audit/event.ts";
import { auditInsert } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import { hashToken, newToken } from "#token.ts";

/** The kinds of challenges. */
export type ChallengeKind =
  | "two_factor"
  | "passkey_registration"
  | "passkey_sign_in"
  | "email_change"
  | "oidc"
  | "password_reset";

/** A challenge to store. */
export interface NewChallenge {
  readonly kind: ChallengeKind;
  /** The account that may answer; null if it is not known yet. */
  readonly accountId: string | null;
  readonly content: string;
  readonly lifeMs: number;
  /** The audit event of its creation, if it is recorded. */
  readonly event?: AuditEvent;
}

/** A stored challenge. */
export interface Challenge {
  readonly accountId: string | null;
  readonly content: string;
}

/** Stores a challenge with the hash of a new token, and returns the token. */
export async function insertChallenge(
  context: Context,
  { kind, accountId, content, lifeMs, event }: NewChallenge,
): Promise<string> {
  const token = newToken();
  await context.database.atomically([
    context.database.db.insertInto("challenge").values({
      token_hash: hashToken(token),
      kind,
      account_id: accountId,
      content,
      attempts: 0,
      expires_at: context.now() + lifeMs,
    }),
    ...(event === undefined ? [] : [auditInsert(context, event)]),
  ]);
  return token;
}

/** Selects a challenge by kind and token. `now` is in milliseconds since the epoch. */
export interface ChallengeQuery {
  readonly kind: ChallengeKind;
  readonly token: string;
  readonly now: number;
}

/** Returns a valid challenge without using it up; null if there is none. */
export async function findChallenge(
  db: Kysely<Schema>,
  { kind, token, now }: ChallengeQuery,
): Promise<Challenge | null> {
  const row = await db
    .selectFrom("challenge")
    .select(["account_id as accountId", "content"])
    .where("token_hash", "=", hashToken(token))
    .where("kind", "=", kind)
    .where("expires_at", ">", now)
    .executeTakeFirst();
  return row ?? null;
}

/** Uses up a challenge and returns it, in the transaction of its effect. Returns null if it is used or expired. */
export async function spendChallenge(
  db: Kysely<Schema>,
  { kind, token, now }: ChallengeQuery,
): Promise<Challenge | null> {
  const row = await db
    .deleteFrom("challenge")
    .where("token_hash", "=", hashToken(token))
    .where("kind", "=", kind)
    .where("expires_at", ">", now)
    .returning(["account_id as accountId", "content"])
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Uses up a challenge and returns it. Only one of several concurrent calls succeeds. Returns null if it is used or
 * expired.
 */
export async function takeChallenge(
  { database: { db }, now }: Context,
  { kind, token }: Omit<ChallengeQuery, "now">,
): Promise<Challenge | null> {
  return spendChallenge(db, { kind, token, now: now() });
}

/**
 * Counts an attempt at a challenge and returns the challenge; null if it is used or expired, or had `attemptsMax`
 * attempts.
 */
export async function tryChallenge(
  { database: { db }, now }: Context,
  input: { readonly kind: ChallengeKind; readonly token: string; readonly attemptsMax: number },
): Promise<Challenge | null> {
  const row = await db
    .updateTable("challenge")
    .set(({ eb }) => ({ attempts: eb("attempts", "+", 1) }))
    .where("token_hash", "=", hashToken(input.token))
    .where("kind", "=", input.kind)
    .where("attempts", "<", input.attemptsMax)
    .where("expires_at", ">", now())
    .returning(["account_id as accountId", "content"])
    .executeTakeFirst();
  return row ?? null;
}
