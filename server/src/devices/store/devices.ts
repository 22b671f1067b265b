import type { Kysely, Selectable } from "kysely";
import { toChangedValue, type Actor } from "#audit/event.ts";
import { recordEvent } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import type { Schema } from "#database/schema.ts";
import { addWithinLimit } from "#database/add-within-limit.ts";
import type { Address, ProviderName, StreamAddress } from "#providers/provider.ts";
import { hashAddress } from "../address.ts";
import { requireBatchSize, type Device, type Platform } from "../device.ts";
import { queueNoticeMail } from "../notices/store.ts";

/** A device and its owner. */
export interface OwnedDevice {
  readonly accountId: string;
  readonly deviceId: string;
}

/** A change of a device, published to the owner's open pages. */
export interface ChangedDevice extends OwnedDevice {
  /** True if the device was just added. */
  readonly isNew?: boolean;
}

/** The registration of a device by an app or a browser. */
export interface DeviceRegistration {
  readonly accountId: string;
  readonly platform: Platform;
  readonly address: Address;
}

const DEVICE_COLUMNS = [
  "id",
  "name",
  "platform",
  "address",
  "created_at",
  "registered_at",
  "paused_at",
  "last_state",
  "last_state_at",
] as const;

/** Returns an account's live devices after the id `after`, oldest first. */
export async function listDevices(
  { database: { db } }: Context,
  input: { readonly accountId: string; readonly after: string | null; readonly limit: number },
): Promise<readonly Device[]> {
  const rows = await db
    .selectFrom("device")
    .select(DEVICE_COLUMNS)
    .where("account_id", "=", input.accountId)
    .where("retired_at", "is", null)
    .where("id", ">", input.after ?? "")
    .orderBy("id")
    .limit(input.limit)
    .execute();
  return rows.map((row) => toDevice(row));
}

/** Returns a live device of the account; null if there is none with this id. */
export async function findDevice(
  { database: { db } }: Context,
  { accountId, deviceId }: OwnedDevice,
): Promise<Device | null> {
  const row = await db
    .selectFrom("device")
    .select(DEVICE_COLUMNS)
    .where("id", "=", deviceId)
    .where("account_id", "=", accountId)
    .where("retired_at", "is", null)
    .executeTakeFirst();
  return row === undefined ? null : toDevice(row);
}

/** Returns the number of live devices of each of at most 500 accounts; accounts without any are omitted. */
export async function countDevices(
  { database: { db } }: Context,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  requireBatchSize(accountIds);
  if (accountIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("device")
    .select(({ fn }) => ["account_id", fn.countAll().as("count")])
    .where("account_id", "in", accountIds)
    .where("retired_at", "is", null)
    .groupBy("account_id")
    .execute();
  return new Map(rows.map((row) => [row.account_id, Number(row.count)]));
}

/** The name and provider of a device, live or retired. The API does not return the account. */
export interface NamedDevice {
  readonly name: string;
  readonly provider: ProviderName;
  readonly accountId: string;
  /** The program of a connected app; null for other devices, and for an app that was removed. */
  readonly client: StreamAddress["client"] | null;
}

/**
 * Returns the names and providers of at most 500 devices, including retired ones, because a delivery log outlives its
 * devices.
 */
export async function findDeviceNames(
  { database: { db } }: Context,
  deviceIds: readonly string[],
): Promise<ReadonlyMap<string, NamedDevice>> {
  requireBatchSize(deviceIds);
  if (deviceIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("device")
    .select(["id", "name", "provider", "account_id as accountId", "address"])
    .where("id", "in", deviceIds)
    .execute();
  return new Map(
    rows.map(({ id, name, provider, accountId, address }) => {
      const client = provider === "stream" ? parseClient(address) : null;
      return [id, { name, provider, accountId, client }];
    }),
  );
}

/** Returns the client in the stored address of a connected app; null if the app was removed, which empties the address. */
function parseClient(address: string): StreamAddress["client"] | null {
  const { client = null } = JSON.parse(address) as Partial<StreamAddress>; // Only this room writes the column.
  return client;
}

/**
 * Records that the account's live device with this address registered again, and returns it; null if there is none. A
 * null name keeps the current one. Clears any suspicion of the address.
 */
export async function refreshDevice(
  { database: { db }, now }: Context,
  { accountId, platform, address, name }: DeviceRegistration & { readonly name: string | null },
): Promise<Device | null> {
  const row = await db
    .updateTable("device")
    .set({
      ...(name === null ? {} : { name }),
      platform,
      address: JSON.stringify(address),
      registered_at: now(),
      suspect_at: null,
    })
    .where("account_id", "=", accountId)
    .where("address_hash", "=", hashAddress(address))
    .where("retired_at", "is", null)
    .returning(DEVICE_COLUMNS)
    .executeTakeFirst();
  return row === undefined ? null : toDevice(row);
}

/** The limit, the actor, the action key and the URL for the mail when a device is added. */
export interface InsertDeviceOptions {
  readonly max: number;
  readonly actor: Actor;
  /** `hashActionKey` of the device's action key; null for a device that does not act for its owner. */
  readonly actionKeyHash: string | null;
  /** The base URL for the mail that notifies the owner; null if the server sends no mail. */
  readonly noticeUrl: string | null;
  /** Statements of the room that adds the device, for the same commit. */
  readonly joinedStatements?: readonly Compilable[];
}

/**
 * Adds a device and returns it; `exists` if the account already has a live device with this address, `full` if it has
 * `max` live devices. The audit event and the owner's email are in the same commit.
 */
export async function insertDevice(
  context: Context,
  { max, actor, noticeUrl, joinedStatements = [], ...input }: NewDevice & InsertDeviceOptions,
): Promise<Device | "exists" | "full"> {
  const { accountId } = input;
  const count = (db: Kysely<Schema>) =>
    db
      .selectFrom("device")
      .select(({ fn }) => fn.countAll().as("count"))
      .where("account_id", "=", accountId)
      .where("retired_at", "is", null)
      .executeTakeFirstOrThrow();
  const limit = { name: `devices ${accountId}`, max, count };
  return addWithinLimit(context.database, limit, async (db) => {
    const row = await insertDeviceQuery(db, context, input).executeTakeFirst();
    if (row === undefined) return "exists";
    const device = toDevice(row);
    const changes = [toChangedValue("provider", input.address.provider)];
    const event = {
      action: "device_added",
      actor,
      accountId,
      subjectId: row.id,
      changes,
    } as const;
    await recordEvent(db, context, event);
    if (noticeUrl !== null)
      await queueNoticeMail(db, context, { baseUrl: noticeUrl, accountId, device });
    for (const statement of joinedStatements) await db.executeQuery(statement.compile());
    return device;
  });
}

type NewDevice = DeviceRegistration &
  Pick<InsertDeviceOptions, "actionKeyHash"> & { readonly name: string };

function insertDeviceQuery(
  db: Kysely<Schema>,
  { now, newId }: Context,
  { accountId, platform, address, name, actionKeyHash }: NewDevice,
) {
  return db
    .insertInto("device")
    .values({
      // The address of a connected app is the device itself.
      id: address.provider === "stream" ? address.deviceId : newId(),
      account_id: accountId,
      name,
      platform,
      provider: address.provider,
      address: JSON.stringify(address),
      address_hash: hashAddress(address),
      created_at: now(),
      registered_at: now(),
      paused_at: null,
      suspect_at: null,
      retired_at: null,
      retired_reason: null,
      last_state: null,
      last_state_at: null,
      action_key_hash: actionKeyHash,
      action_key_at: actionKeyHash === null ? null : now(),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning(DEVICE_COLUMNS);
}

/** Renames, pauses or resumes a live device of the account and returns it; null if there is none. */
export async function updateDevice(
  { database: { db }, now }: Context,
  input: OwnedDevice & { readonly name: string | null; readonly isPaused: boolean | null },
): Promise<Device | null> {
  const { accountId, deviceId, name, isPaused } = input;
  const row = await db
    .updateTable("device")
    .set((eb) => ({
      name: name ?? eb.ref("name"),
      // A device that is already paused keeps the time of its first pause.
      ...(isPaused === true ? { paused_at: eb.fn.coalesce("paused_at", eb.val(now())) } : {}),
      ...(isPaused === false ? { paused_at: null } : {}),
    }))
    .where("id", "=", deviceId)
    .where("account_id", "=", accountId)
    .where("retired_at", "is", null)
    .returning(DEVICE_COLUMNS)
    .executeTakeFirst();
  return row === undefined ? null : toDevice(row);
}

function toDevice(
  row: Pick<Selectable<Schema["device"]>, (typeof DEVICE_COLUMNS)[number]>,
): Device {
  return {
    id: row.id,
    name: row.name,
    platform: row.platform,
    // Only this room writes the column.
    address: JSON.parse(row.address) as Address,
    createdAt: row.created_at,
    registeredAt: row.registered_at,
    pausedAt: row.paused_at,
    lastState: row.last_state,
    lastStateAt: row.last_state_at,
  };
}
