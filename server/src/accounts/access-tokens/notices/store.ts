import type { Kysely } from "kysely";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import { NOTICE_SPAN_MS, oweGathered } from "#mail/store/held.ts";
import { confirmedAddress } from "../../store/addresses.ts";
import { newTokensMail, TOKEN_NOTICE, type MadeToken } from "./mail.ts";

/** The most tokens named in one mail. */
const NAMED_MAX = 20;

/** A token created by a transaction, and the server's own address. */
export interface Made extends MadeToken {
  readonly baseUrl: string;
  readonly accountId: string;
  readonly id: string;
}

/**
 * Queues the mail that notifies an account of an access token, in the transaction that creates it and locks the
 * account's tokens. The first is sent at once; those that follow shortly share one mail. An account without a confirmed
 * address gets none.
 */
export async function oweTokenNotice(
  db: Kysely<Schema>,
  context: Context,
  { baseUrl, accountId, id, label, createdAt }: Made,
): Promise<void> {
  const to = await confirmedAddress(db, accountId);
  if (to === null) return;
  const where = { baseUrl, to };
  const before = await tokensSince(db, { accountId, since: createdAt - NOTICE_SPAN_MS + 1 })
    .select("id")
    .where("id", "<>", id)
    .limit(1)
    .executeTakeFirst();
  const alone = { tokens: [{ label, createdAt }], count: 1 };
  await oweGathered(db, context, {
    purpose: TOKEN_NOTICE,
    to,
    at: createdAt,
    first: before === undefined ? newTokensMail(where, alone) : null,
    more: async (since) => newTokensMail(where, await told(db, { accountId, since })),
  });
}

interface Since {
  readonly accountId: string;
  readonly since: number;
}

/** Includes revoked ones: they were created all the same. */
function tokensSince(db: Kysely<Schema>, { accountId, since }: Since) {
  return db
    .selectFrom("access_token")
    .where("account_id", "=", accountId)
    .where("created_at", ">=", since);
}

async function told(db: Kysely<Schema>, since: Since) {
  const made = tokensSince(db, since);
  const tokens = await made
    .select(["label", "created_at as createdAt"])
    .orderBy("id")
    .limit(NAMED_MAX)
    .execute();
  const { count } = await made
    .select(({ fn }) => fn.countAll().as("count"))
    .executeTakeFirstOrThrow();
  return { tokens, count: Number(count) };
}
