import type { Kysely } from "kysely";
import type { Actor } from "#audit/event.ts";
import { recordEvent, runAndRecord } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import { addWithinLimit } from "#database/add-within-limit.ts";
import type { Mail } from "#mail/mail.ts";
import { queueNotice } from "../store/queue-notice.ts";
import type { PasskeyCredential } from "./ceremony.ts";

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
 * Stores a new passkey. Returns `already_registered` if the credential exists, and `full` if the account already has
 * `max` passkeys.
 */
export async function insertPasskey(
  context: Context,
  input: PasskeyCredential & {
    readonly accountId: string;
    readonly name: string;
    readonly max: number;
    readonly actor: Actor;
    /** The email that notifies the owner. */
    readonly notice: Mail;
  },
): Promise<Passkey | "already_registered" | "full"> {
  const { database, now, newId } = context;
  const { accountId, max, actor } = input;
  const countPasskeys = (db: Kysely<Schema>) =>
    db
      .selectFrom("passkey")
      .select(({ fn }) => fn.countAll().as("count"))
      .where("account_id", "=", accountId)
      .executeTakeFirstOrThrow();
  return addWithinLimit(
    database,
    { name: `passkeys ${accountId}`, max, count: countPasskeys },
    async (db) => {
      const row = await db
        .insertInto("passkey")
        .values({
          id: newId(),
          account_id: accountId,
          name: input.name,
          credential_id: input.credentialId,
          public_key: input.publicKey,
          sign_count: input.signCount,
          created_at: now(),
          last_used_at: null,
        })
        .onConflict((conflict) => conflict.column("credential_id").doNothing())
        .returning(PASSKEY_COLUMNS)
        .executeTakeFirst();
      if (row === undefined) return "already_registered";
      await recordEvent(db, context, {
        action: "passkey_added",
        actor,
        accountId,
        subjectId: row.id,
      });
      await queueNotice(db, context, input.notice);
      return row;
    },
  );
}

/** Returns up to `limit` passkeys of an account, newest first, after the id `after`. */
export async function listPasskeys(
  { database: { db } }: Context,
  { accountId, limit, after }: { accountId: string; limit: number; after: string | null },
): Promise<readonly Passkey[]> {
  const query = db
    .selectFrom("passkey")
    .select(PASSKEY_COLUMNS)
    .where("account_id", "=", accountId)
    .orderBy("id", "desc")
    .limit(limit);
  return (after === null ? query : query.where("id", "<", after)).execute();
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

/** Returns the key and the owner of a credential; null if there is none. */
export async function findCredential(
  { database: { db } }: Context,
  credentialId: string,
): Promise<(PasskeyCredential & OwnedPasskey) | null> {
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

/** Records a sign-in. Returns false if a concurrent sign-in changed the signature count, or the passkey was removed. */
export async function recordPasskeySignIn(
  { database: { db }, now }: Context,
  input: OwnedPasskey & { readonly previousSignCount: number; readonly signCount: number },
): Promise<boolean> {
  const row = await db
    .updateTable("passkey")
    .set({ sign_count: input.signCount, last_used_at: now() })
    .where("id", "=", input.id)
    .where("account_id", "=", input.accountId)
    .where("sign_count", "=", input.previousSignCount)
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
  const row = await runAndRecord(
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
