import type { Kysely } from "kysely";
import type { Actor } from "#audit/event.ts";
import { record, recorded } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import { withinLimit } from "#database/within-limit.ts";
import type { Mail } from "#mail/mail.ts";
import { queueNotice } from "../store/queue-notice.ts";
import type { StoredKey } from "./ceremony.ts";

/** A passkey as its owner sees it. All times are milliseconds since the epoch. */
export interface Passkey {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

/** A passkey, addressed by its id and its owner. */
export interface OwnedPasskey {
  readonly accountId: string;
  readonly id: string;
}

/**
 * Stores a new passkey. Returns `known` if the credential exists, and `full` if the account already has `limit`
 * passkeys.
 */
export async function insertPasskey(
  context: Context,
  passkey: StoredKey & {
    readonly accountId: string;
    readonly name: string;
    readonly limit: number;
    readonly actor: Actor;
    /** The mail that notifies the owner. */
    readonly notice: Mail;
  },
): Promise<Passkey | "known" | "full"> {
  const { database, now, newId } = context;
  const { accountId, limit, actor } = passkey;
  const count = (db: Kysely<Schema>) =>
    db
      .selectFrom("passkey")
      .select(({ fn }) => fn.countAll().as("count"))
      .where("account_id", "=", accountId)
      .executeTakeFirstOrThrow();
  return withinLimit(
    database,
    { name: `passkeys ${accountId}`, most: limit, count },
    async (db) => {
      const row = await db
        .insertInto("passkey")
        .values({
          id: newId(),
          account_id: accountId,
          name: passkey.name,
          credential_id: passkey.credentialId,
          public_key: passkey.publicKey,
          sign_count: passkey.signCount,
          created_at: now(),
          last_used_at: null,
        })
        .onConflict((conflict) => conflict.column("credential_id").doNothing())
        .returning(PASSKEY_COLUMNS)
        .executeTakeFirst();
      if (row === undefined) return "known";
      await record(db, context, { action: "passkey_added", actor, accountId, subjectId: row.id });
      await queueNotice(db, context, passkey.notice);
      return row;
    },
  );
}

/** Returns up to `limit` passkeys of an account, newest first, after the id `after`. */
export async function listPasskeys(
  { database: { db } }: Context,
  { accountId, limit, after }: { accountId: string; limit: number; after: string | null },
): Promise<readonly Passkey[]> {
  const all = db
    .selectFrom("passkey")
    .select(PASSKEY_COLUMNS)
    .where("account_id", "=", accountId)
    .orderBy("id", "desc")
    .limit(limit);
  return (after === null ? all : all.where("id", "<", after)).execute();
}

/** Returns the credential ids of up to `limit` passkeys of an account. */
export async function listCredentialIds(
  { database: { db } }: Context,
  { accountId, limit }: { readonly accountId: string; readonly limit: number },
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("passkey")
    .select("credential_id")
    .where("account_id", "=", accountId)
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  return rows.map((row) => row.credential_id);
}

/** Returns the key and the owner of a credential. */
export async function findCredential(
  { database: { db } }: Context,
  credentialId: string,
): Promise<(StoredKey & OwnedPasskey) | null> {
  const row = await db
    .selectFrom("passkey")
    .select([
      "id",
      "account_id as accountId",
      "credential_id as credentialId",
      "public_key as publicKey",
      "sign_count as signCount",
    ])
    .where("credential_id", "=", credentialId)
    .executeTakeFirst();
  return row ?? null;
}

/** Records a sign-in. Returns false if a concurrent sign-in changed the count, or the passkey was removed. */
export async function recordSignIn(
  { database: { db }, now }: Context,
  input: OwnedPasskey & { readonly before: number; readonly signCount: number },
): Promise<boolean> {
  const row = await db
    .updateTable("passkey")
    .set({ sign_count: input.signCount, last_used_at: now() })
    .where("id", "=", input.id)
    .where("account_id", "=", input.accountId)
    .where("sign_count", "=", input.before)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

/** Renames a passkey and returns it; null if there is none. */
export async function renamePasskey(
  { database: { db } }: Context,
  { accountId, id, name }: OwnedPasskey & { readonly name: string },
): Promise<Passkey | null> {
  const row = await db
    .updateTable("passkey")
    .set({ name })
    .where("id", "=", id)
    .where("account_id", "=", accountId)
    .returning(PASSKEY_COLUMNS)
    .executeTakeFirst();
  return row ?? null;
}

/** Deletes a passkey; returns false if there is none. */
export async function removePasskey(
  context: Context,
  { accountId, id, actor }: OwnedPasskey & { readonly actor: Actor },
): Promise<boolean> {
  const row = await recorded(
    context,
    (db) =>
      db
        .deleteFrom("passkey")
        .where("id", "=", id)
        .where("account_id", "=", accountId)
        .returning("id")
        .executeTakeFirst(),
    () => ({ action: "passkey_removed", actor, accountId, subjectId: id }),
  );
  return row !== undefined;
}

const PASSKEY_COLUMNS = [
  "id",
  "name",
  "created_at as createdAt",
  "last_used_at as lastUsedAt",
] as const;
