import { sql } from "kysely";
import type { Context } from "#context.ts";
import { requireBatch } from "../device.ts";

type Looking = Pick<Context, "database">;

/** A live device, and what the audit log says of who added it. */
export interface Trace {
  readonly deviceId: string;
  readonly accountId: string;
  /** Milliseconds since the epoch. */
  readonly addedAt: number;
  /** Null where no event tells of it. */
  readonly actorKind: string | null;
  readonly actorAccountId: string | null;
  readonly credentialId: string | null;
}

/** Where a page of live devices ends, and those of it that no credential of their account is known to have added. */
export interface TracePage {
  readonly traces: readonly Trace[];
  /** Null after the last page. */
  readonly lastId: string | null;
}

/**
 * Returns, of up to `limit` live devices after an id, those that no session and no access token of their account is known to
 * have added: it must be there, or for a session, the audit log must tell that the account was signed in by it.
 */
export async function listUnowned(
  { database: { db } }: Looking,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<TracePage> {
  const page = await db
    .selectFrom("device")
    .select("id")
    .where("retired_at", "is", null)
    .where("id", ">", after)
    .orderBy("id")
    .limit(limit)
    .execute();
  const lastId = page.at(-1)?.id ?? null;
  if (lastId === null) return { traces: [], lastId };
  const traces = await db
    .selectFrom("device")
    .leftJoin("audit_event as event", (join) =>
      join
        .onRef("event.account_id", "=", "device.account_id")
        .onRef("event.subject_id", "=", "device.id")
        .on("event.action", "=", "device_added"),
    )
    .select([
      "device.id as deviceId",
      "device.account_id as accountId",
      "device.created_at as addedAt",
      "event.actor_kind as actorKind",
      "event.actor_account_id as actorAccountId",
      "event.actor_credential_id as credentialId",
    ])
    .where("device.retired_at", "is", null)
    .where("device.id", ">", after)
    .where("device.id", "<=", lastId)
    .where(IS_UNOWNED)
    .orderBy("device.id")
    .execute();
  return { traces, lastId: page.length < limit ? null : lastId };
}

/** Without an event, the left side has no actor. Who may have added a device is in no column that a request could write. */
const IS_UNOWNED = sql<boolean>`(event.actor_account_id is null
  or event.actor_account_id <> device.account_id
  or not (
    (event.actor_kind = 'session' and (
      exists (select 1 from session
        where session.id = event.actor_credential_id and session.account_id = device.account_id)
      or exists (select 1 from audit_event as entrance
        where entrance.account_id = device.account_id and entrance.action = 'signed_in'
          and entrance.subject_id = event.actor_credential_id)))
    or (event.actor_kind = 'access_token' and exists (select 1 from access_token
      where access_token.id = event.actor_credential_id
        and access_token.account_id = device.account_id))))`;

/** Returns whose live device this is, for operators alone; null where there is none. */
export async function ownerOf(
  { database: { db } }: Looking,
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

/** Returns the id of the oldest event that the audit log has; null where it is empty. */
export async function firstEventId({ database: { db } }: Looking): Promise<string | null> {
  const row = await db
    .selectFrom("audit_event")
    .select("id")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? null;
}

/** A group of devices, and whose it is. */
export interface OwnedGroup {
  readonly groupId: string;
  readonly accountId: string;
}

/** Returns the groups that at most 500 devices are in. */
export async function groupsOf(
  { database: { db } }: Looking,
  deviceIds: readonly string[],
): Promise<readonly OwnedGroup[]> {
  requireBatch(deviceIds);
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
