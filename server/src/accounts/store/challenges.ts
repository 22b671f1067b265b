import type { Kysely } from "kysely";
import type { AuditEvent } from "#audit/event.ts";
import { auditInsert } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import { hashToken, newToken } from "#token.ts";

/** What somebody is asked to answer. */
export type ChallengeKind =
  | "two_factor"
  | "passkey_registration"
  | "passkey_sign_in"
  | "email_change"
  | "oidc"
  | "password_reset";

/** A question that waits for its answer. */
export interface NewChallenge {
  readonly kind: ChallengeKind;
  /** Whose answer counts; null where that is not known yet. */
  readonly accountId: string | null;
  readonly content: string;
  readonly lifeMs: number;
  /** What the audit log tells of it; nothing, where it is no more than a step. */
  readonly event?: AuditEvent;
}

/** A question that somebody answers now. */
export interface Challenge {
  readonly accountId: string | null;
  readonly content: string;
}

/** Remembers a question by the hash of its token, and returns the token. */
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

/** A question by what somebody brings who answers it; `now` in milliseconds since the epoch. */
export interface AskedQuestion {
  readonly kind: ChallengeKind;
  readonly token: string;
  readonly now: number;
}

/** Returns a question that is not over, and leaves it there. */
export async function findChallenge(
  db: Kysely<Schema>,
  { kind, token, now }: AskedQuestion,
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

/** Takes a question away, in the transaction of what its answer does. Null where it is over. */
export async function spendChallenge(
  db: Kysely<Schema>,
  { kind, token, now }: AskedQuestion,
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

/** Takes a question away and returns it: of many who answer at once, one gets it. Null where it is over. */
export async function takeChallenge(
  { database: { db }, now }: Context,
  { kind, token }: Omit<AskedQuestion, "now">,
): Promise<Challenge | null> {
  return spendChallenge(db, { kind, token, now: now() });
}

/** Counts one answer to a question and returns the question; null where it is over or had `attemptsMax` answers. */
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
