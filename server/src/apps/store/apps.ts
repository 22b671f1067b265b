import type { Kysely } from "kysely";
import type { Actor } from "#audit/event.ts";
import { recordEvent, runAndRecord } from "#audit/store.ts";
import type { Context, DatabaseContext } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import { addWithinLimit } from "#database/add-within-limit.ts";
import type { Schema } from "#database/schema.ts";
import type { AppClient, SignedInApp } from "../app.ts";
import type { SecretKind } from "../secret.ts";
import { parseChannels } from "./put.ts";

/** A new connected app. */
export interface NewApp {
  readonly deviceId: string;
  readonly accountId: string;
  readonly client: AppClient;
  readonly topic: string;
}

/** A new secret of an app. */
export interface NewSecret {
  readonly id: string;
  readonly deviceId: string;
  readonly accountId: string;
  readonly kind: SecretKind;
  /** `hashSecret` of the secret. */
  readonly secretHash: string;
  readonly label: string | null;
}

/** Maximum number of secrets of an account. */
export const SECRETS_MAX = 100;

/** Returns the statement that inserts an app, for the commit that adds its device. */
export function insertAppQuery({ database: { db } }: DatabaseContext, app: NewApp): Compilable {
  return db.insertInto("connected_app").values({
    device_id: app.deviceId,
    account_id: app.accountId,
    client: app.client,
    topic: app.topic,
    last_number: 0,
    channels: null,
    node_id: null,
    connected_at: null,
    disconnected_at: null,
    iphone_since: null,
  });
}

/** Returns the statement that inserts a secret. */
export function insertSecretQuery(
  { database: { db }, now }: Pick<Context, "database" | "now">,
  { id, deviceId, accountId, kind, secretHash, label }: NewSecret,
): Compilable {
  return db.insertInto("app_secret").values({
    id,
    device_id: deviceId,
    account_id: accountId,
    kind,
    secret_hash: secretHash,
    label,
    created_at: now(),
  });
}

/**
 * Adds another secret to an app; returns `full` if the account already has `SECRETS_MAX` secrets, and `removed` if the
 * app was removed. Locks the app, so that its removal either comes first, or deletes the secret, too.
 */
export async function addSecret(
  context: Context,
  secret: NewSecret,
  actor: Actor,
): Promise<"added" | "full" | "removed"> {
  const { id: subjectId, deviceId, accountId } = secret;
  const limit = {
    name: `app secrets ${accountId}`,
    max: SECRETS_MAX,
    count: (db: Kysely<Schema>) => countSecretsQuery(db, accountId).executeTakeFirstOrThrow(),
  };
  const { lockRows } = context.database.engine;
  return addWithinLimit(context.database, limit, async (db) => {
    const query = db
      .selectFrom("connected_app")
      .select("device_id")
      .where("device_id", "=", deviceId);
    const app = await (lockRows === null ? query : query.modifyEnd(lockRows)).executeTakeFirst();
    if (app === undefined) return "removed" as const;
    await db.executeQuery(insertSecretQuery(context, secret).compile());
    await recordEvent(db, context, { action: "app_secret_made", actor, accountId, subjectId });
    return "added" as const;
  });
}

/** Returns the number of secrets of an account. */
export async function countSecrets(context: DatabaseContext, accountId: string): Promise<number> {
  const row = await countSecretsQuery(context.database.db, accountId).executeTakeFirstOrThrow();
  return Number(row.count);
}

function countSecretsQuery(db: Kysely<Schema>, accountId: string) {
  return db
    .selectFrom("app_secret")
    .select(({ fn }) => fn.countAll().as("count"))
    .where("account_id", "=", accountId);
}

/** Returns the app of a secret; null if there is none, its device was removed, or its owner is suspended. */
export async function findApp(
  { database: { db } }: DatabaseContext,
  secretHash: string,
): Promise<SignedInApp | null> {
  const row = await db
    .selectFrom("app_secret")
    .innerJoin("device", "device.id", "app_secret.device_id")
    .innerJoin("connected_app", "connected_app.device_id", "app_secret.device_id")
    .innerJoin("account", "account.id", "device.account_id")
    .select([
      "app_secret.id as credentialId",
      "device.id as deviceId",
      "device.account_id as accountId",
      "device.name as deviceName",
      "connected_app.client",
      "connected_app.iphone_since",
    ])
    .where("app_secret.secret_hash", "=", secretHash)
    .where("device.retired_at", "is", null)
    .where("account.suspended_at", "is", null)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { iphone_since, ...app } = row;
  return { ...app, isForIphone: iphone_since !== null };
}

/** Returns the app's own topic; null if the app is gone. */
export async function findTopic(
  { database: { db } }: DatabaseContext,
  { deviceId, accountId }: Pick<SignedInApp, "deviceId" | "accountId">,
): Promise<string | null> {
  const row = await db
    .selectFrom("connected_app")
    .select("topic")
    .where("device_id", "=", deviceId)
    .where("account_id", "=", accountId)
    .executeTakeFirst();
  return row?.topic ?? null;
}

/** An app of an account, with its secrets but not their values. Times are in milliseconds since the epoch. */
export interface ListedApp {
  readonly id: string;
  readonly name: string;
  readonly client: AppClient;
  readonly topic: string;
  /** The channels that the app listens to; null for every channel, or if the app has never listened. */
  readonly channels: readonly string[] | null;
  readonly isConnected: boolean;
  readonly connectedAt: number | null;
  readonly disconnectedAt: number | null;
  readonly secrets: readonly {
    readonly kind: SecretKind;
    readonly label: string | null;
    readonly createdAt: number;
  }[];
}

/** Returns the apps of an account with the ids of their devices, oldest first, after the id `after`. */
export async function listApps(
  { database: { db } }: DatabaseContext,
  input: { readonly accountId: string; readonly after: string | null; readonly limit: number },
): Promise<readonly ListedApp[]> {
  const rows = await db
    .selectFrom("connected_app")
    .innerJoin("device", "device.id", "connected_app.device_id")
    .selectAll("connected_app")
    .select("device.name")
    .where("connected_app.account_id", "=", input.accountId)
    .where("device.retired_at", "is", null)
    .where("connected_app.device_id", ">", input.after ?? "")
    .orderBy("connected_app.device_id")
    .limit(input.limit)
    .execute();
  const secrets = await db
    .selectFrom("app_secret")
    .select(["device_id", "kind", "label", "created_at as createdAt"])
    .where("account_id", "=", input.accountId)
    .orderBy("id")
    .execute();
  const byDevice = Map.groupBy(secrets, ({ device_id }) => device_id);
  return rows.map((row) => ({
    id: row.device_id,
    name: row.name,
    client: row.client,
    topic: row.topic,
    channels: row.channels === null ? null : parseChannels(row.channels),
    isConnected: row.node_id !== null,
    connectedAt: row.connected_at,
    disconnectedAt: row.disconnected_at,
    secrets: (byDevice.get(row.device_id) ?? []).map(({ kind, label, createdAt }) => {
      return { kind, label, createdAt };
    }),
  }));
}

/** Deletes a secret of an app. Idempotent. */
export async function deleteSecret(
  context: Context,
  { credentialId: id, deviceId, accountId }: SignedInApp,
  actor: Actor,
): Promise<void> {
  await runAndRecord(
    context,
    (db) =>
      db
        .deleteFrom("app_secret")
        .where("id", "=", id)
        .where("device_id", "=", deviceId)
        .returning("id")
        .executeTakeFirst(),
    () => ({ action: "app_secret_revoked", actor, accountId, subjectId: id }),
  );
}

/** Returns which of these secrets still sign their app in; see `findApp`. */
export async function findValidSecrets(
  { database: { db } }: DatabaseContext,
  credentialIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (credentialIds.length === 0) return new Set();
  const rows = await db
    .selectFrom("app_secret")
    .innerJoin("device", "device.id", "app_secret.device_id")
    .innerJoin("account", "account.id", "device.account_id")
    .select("app_secret.id")
    .where("app_secret.id", "in", credentialIds)
    .where("device.retired_at", "is", null)
    .where("account.suspended_at", "is", null)
    .execute();
  return new Set(rows.map(({ id }) => id));
}
