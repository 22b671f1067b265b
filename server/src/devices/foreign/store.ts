import { sql } from "kysely";
import type { RecordedEvent } from "#audit/store.ts";
import type { DatabaseContext } from "#context.ts";
import { requireBatchSize } from "../device.ts";
import type { OwnedGroup } from "../groups/store.ts";

/** A live device. */
export interface LiveDevice {
  readonly deviceId: string;
  readonly accountId: string;
  /** Milliseconds since the epoch. */
  readonly addedAt: number;
}

/** Returns up to `limit` live devices of all accounts, after the id `after`. */
export async function listAllDevices(
  { database: { db } }: DatabaseContext,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly LiveDevice[]> {
  return db
    .selectFrom("device")
    .select(["id as deviceId", "account_id as accountId", "created_at as addedAt"])
    .where("retired_at", "is", null)
    .where("id", ">", after)
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** An audit event about an added device or a sign-in. */
export type DeviceOrSignInEvent = Pick<
  RecordedEvent,
  "action" | "account_id" | "subject_id" | "actor_kind" | "actor_account_id" | "actor_credential_id"
>;

/** Returns the sign-in events of at most 500 accounts, and the events that added their devices. */
export async function findDeviceAndSignInEvents(
  { database: { db } }: DatabaseContext,
  accountIds: readonly string[],
): Promise<readonly DeviceOrSignInEvent[]> {
  requireBatchSize(accountIds);
  if (accountIds.length === 0) return [];
  return (
    db
      .selectFrom("audit_event")
      .select([
        "action",
        "account_id",
        "subject_id",
        "actor_kind",
        "actor_account_id",
        "actor_credential_id",
      ])
      .where("account_id", "in", accountIds)
      // The expression keeps the database from using the index on actions, which would read every account's sign-ins
      // for each account.
      .where(sql<string>`coalesce(action, '')`, "in", ["device_added", "signed_in"])
      .execute()
  );
}

/**
 * Returns the accounts of at most 500 sessions and access tokens, by the id of the session or token. The database keeps
 * ended tokens, but not ended sessions.
 */
export async function findCredentialOwnerIds(
  { database: { db } }: DatabaseContext,
  credentialIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  requireBatchSize(credentialIds);
  if (credentialIds.length === 0) return new Map();
  const [sessions, accessTokens] = await Promise.all(
    (["session", "access_token"] as const).map((table) =>
      db.selectFrom(table).select(["id", "account_id"]).where("id", "in", credentialIds).execute(),
    ),
  );
  const rows = [...(sessions ?? []), ...(accessTokens ?? [])];
  return new Map(rows.map((row) => [row.id, row.account_id]));
}

/** Returns the account id of the owner of a live device, for operators only; null if there is no such device. */
export async function findDeviceOwnerId(
  { database: { db } }: DatabaseContext,
  deviceId: string,
): Promise<string | null> {
  const row = await db
    .selectFrom("device")
    .select("account_id")
    .where("id", "=", deviceId)
    .where("retired_at", "is", null)
    .executeTakeFirst();
  return row?.account_id ?? null;
}

/** Returns the id of the oldest event of the audit log; null if it is empty. */
export async function findOldestEventId({
  database: { db },
}: DatabaseContext): Promise<string | null> {
  const row = await db
    .selectFrom("audit_event")
    .select("id")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? null;
}

/** Returns the groups that contain at least one of at most 500 devices. */
export async function findGroupsContaining(
  { database: { db } }: DatabaseContext,
  deviceIds: readonly string[],
): Promise<readonly OwnedGroup[]> {
  requireBatchSize(deviceIds);
  if (deviceIds.length === 0) return [];
  return db
    .selectFrom("device_group")
    .innerJoin("device_group_member as member", "member.group_id", "device_group.id")
    .select(["device_group.id as groupId", "device_group.account_id as accountId"])
    .distinct()
    .where("member.device_id", "in", deviceIds)
    .orderBy("device_group.id")
    .execute();
}
