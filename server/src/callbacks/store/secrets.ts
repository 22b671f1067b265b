import { sql, type Expression, type RawBuilder } from "kysely";
import type { Context, DatabaseContext } from "#context.ts";
import type { Compilable, Database } from "#database/database.ts";
import { SEALED_LIKE_PATTERN, type RowSeal } from "#secrets/row-seal.ts";
import type { SealedColumn } from "#secrets/sealed-column.ts";
import { generateCallbackSecret } from "../sign.ts";

/** How long the previous secret stays valid after a new one was created. */
export const SECRET_OVERLAP_MS = 24 * 60 * 60 * 1_000;

/** Returns the name to lock in a transaction that creates or ends the secrets of a source. */
export function toSourceLockName(sourceId: string): string {
  return `callback secret ${sourceId}`;
}

/** A new secret in plain text, which only its creator receives, and the statements that store it. */
export interface CallbackSecretDraft {
  readonly secret: string;
  readonly statements: readonly Compilable[];
}

/**
 * Returns a new secret of a source. Its statements, for a transaction of the caller, keep the previous secret for
 * `SECRET_OVERLAP_MS` and delete all earlier ones.
 */
export function draftSecret(
  { database: { db, engine }, now, newId, seal }: Context,
  sourceId: string,
): CallbackSecretDraft {
  const secret = generateCallbackSecret();
  const id = newId();
  const createdAt = now();
  const lockSource = engine.lockName(toSourceLockName(sourceId));
  return {
    secret,
    statements: [
      // Without the lock, two new secrets at once would not replace each other, and both would stay valid.
      { compile: () => lockSource.compile(db) },
      db
        .deleteFrom("callback_secret")
        .where("source_id", "=", sourceId)
        .where("expires_at", "is not", null),
      db
        .updateTable("callback_secret")
        .set({ expires_at: createdAt + SECRET_OVERLAP_MS })
        .where("source_id", "=", sourceId),
      db.insertInto("callback_secret").values({
        id,
        source_id: sourceId,
        secret: seal.close(secret, toSealedColumn(id)),
        created_at: createdAt,
        expires_at: null,
      }),
    ],
  };
}

/** Creates a secret of a source and returns it in plain text, see `draftSecret`. */
export async function createSecret(context: Context, sourceId: string): Promise<string> {
  const { secret, statements } = draftSecret(context, sourceId);
  await context.database.atomically(statements);
  return secret;
}

/** The valid secrets of a source, the newest first. */
export interface ValidSecrets {
  readonly secrets: readonly string[];
  /** The number of further valid secrets, which were sealed with another session secret. */
  readonly unreadableCount: number;
}

/** Returns the valid secrets of a source. */
export async function findSecrets(
  { database: { db }, now, seal }: Context,
  sourceId: string,
): Promise<ValidSecrets> {
  const rows = await db
    .selectFrom("callback_secret")
    .select(["id", "secret"])
    .where("source_id", "=", sourceId)
    .where((eb) => eb.or([eb("expires_at", "is", null), eb("expires_at", ">", now())]))
    .orderBy("id", "desc")
    .execute();
  const secrets = rows
    .map(({ id, secret }) => seal.open(secret, toSealedColumn(id)))
    .filter((secret) => secret !== null);
  return { secrets, unreadableCount: rows.length - secrets.length };
}

/** Returns whether a source has a secret. */
export async function hasSecret(
  { database: { db } }: DatabaseContext,
  sourceId: string,
): Promise<boolean> {
  const row = await db
    .selectFrom("callback_secret")
    .select("id")
    .where("source_id", "=", sourceId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns 1 if the source that an expression names has a secret, otherwise 0, for the select list of another query. */
export function selectHasSecret(sourceId: Expression<string>): RawBuilder<number> {
  return sql<number>`case when exists (
    select 1 from callback_secret where callback_secret.source_id = ${sourceId}) then 1 else 0 end`;
}

/**
 * Returns the statements that delete the secrets and the unfinished callbacks of the sources that a query selects.
 * Failed callbacks stay in the history.
 */
export function endSourcesQueries(
  { database: { db } }: DatabaseContext,
  sourceIds: Expression<string>,
): readonly Compilable[] {
  return [
    db.deleteFrom("callback_secret").where("source_id", "in", sourceIds),
    db.deleteFrom("callback").where("source_id", "in", sourceIds).where("failed_at", "is", null),
  ];
}

/** Returns the statements that delete the secrets and all callbacks of the sources that a query selects. */
export function eraseSourcesQueries(
  { database: { db } }: DatabaseContext,
  sourceIds: Expression<string>,
): readonly Compilable[] {
  return [
    db.deleteFrom("callback_secret").where("source_id", "in", sourceIds),
    db.deleteFrom("callback").where("source_id", "in", sourceIds),
  ];
}

/** Deletes up to `limit` secrets that are no longer valid. Returns how many. */
export async function pruneSecrets(
  { database: { db }, now }: Pick<Context, "database" | "now">,
  limit: number,
): Promise<number> {
  const ids = db
    .selectFrom("callback_secret")
    .select("id")
    .where("expires_at", "<=", now())
    .limit(limit);
  const result = await db.deleteFrom("callback_secret").where("id", "in", ids).executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** Returns the number of unsealed secrets. */
export async function countUnsealedSecrets({ db }: Database): Promise<number> {
  const row = await db
    .selectFrom("callback_secret")
    .select(({ fn }) => fn.countAll().as("count"))
    .where("secret", "not like", SEALED_LIKE_PATTERN)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/**
 * Seals up to `max` unsealed secrets. Returns how many it read and how many of them it sealed: it skips a secret that
 * is deleted meanwhile.
 */
export async function sealUnsealedSecrets(
  database: Database,
  { seal, max }: { readonly seal: RowSeal; readonly max: number },
): Promise<{ readonly readCount: number; readonly sealedCount: number }> {
  const { db } = database;
  const rows = await db
    .selectFrom("callback_secret")
    .select(["id", "secret"])
    .where("secret", "not like", SEALED_LIKE_PATTERN)
    .orderBy("id")
    .limit(max)
    .execute();
  const results = await database.atomically(
    rows.map(({ id, secret }) =>
      db
        .updateTable("callback_secret")
        .set({ secret: seal.close(secret, toSealedColumn(id)) })
        .where("id", "=", id)
        .where("secret", "=", secret),
    ),
  );
  const sealedCount = results.reduce((sum, result) => sum + Number(result.numAffectedRows ?? 0), 0);
  return { readCount: rows.length, sealedCount };
}

function toSealedColumn(row: string): SealedColumn {
  return { table: "callback_secret", row, column: "secret" };
}
