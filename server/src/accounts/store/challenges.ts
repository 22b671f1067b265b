import type { Kysely } from "kysely";
import type { AuditEvent } from "#audit/event.ts";
import { insertEventQuery } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import { hashToken, newToken } from "#token.ts";

/** The action that a challenge belongs to. */
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
  /** The account that may answer the challenge; null if the account is not known yet. */
  readonly accountId: string | null;
  /** The new address for `email_change`, JSON for `oidc`, the creator's id for `password_reset`, otherwise empty. */
  readonly content: string;
  readonly ttlMs: number;
  /** The audit event to record with the challenge, if any. */
  readonly event?: AuditEvent;
}

/** A stored challenge. */
export interface Challenge {
  readonly accountId: string | null;
  /** The same content as in `NewChallenge`. */
  readonly content: string;
}

/** Stores a challenge with the hash of a new token, and returns the token. */
export async function insertChallenge(
  context: Context,
  { kind, accountId, content, ttlMs, event }: NewChallenge,
): Promise<string> {
  const token = newToken();
  await context.database.atomically([
    context.database.db.insertInto("challenge").values({
      token_hash: hashToken(token),
      kind,
      account_id: accountId,
      content,
      attempts: 0,
      expires_at: context.now() + ttlMs,
    }),
    ...(event === undefined ? [] : [insertEventQuery(context, event)]),
  ]);
  return token;
}

/** Selects a challenge by kind and token. `now` is in milliseconds since the epoch. */
export interface ChallengeQuery {
  readonly kind: ChallengeKind;
  readonly token: string;
  readonly now: number;
}

/** Returns a valid challenge without taking it; null if there is none. */
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

/**
 * Takes a challenge in the transaction of its effect: deletes and returns it. Returns null if it was used or has
 * expired.
 */
export async function takeChallengeIn(
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
 * Takes a challenge: deletes and returns it. Only one of several concurrent calls succeeds. Returns null if it was used
 * or has expired.
 */
export async function takeChallenge(
  { database: { db }, now }: Context,
  { kind, token }: Omit<ChallengeQuery, "now">,
): Promise<Challenge | null> {
  return takeChallengeIn(db, { kind, token, now: now() });
}

/**
 * Counts an attempt at a challenge and returns the challenge; null if it was used or has expired, or had `attemptsMax`
 * attempts.
 */
export async function countChallengeAttempt(
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
