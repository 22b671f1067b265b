import type { Kysely } from "kysely";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import type { Schema } from "#database/schema.ts";
import { addWithinLimit } from "#database/add-within-limit.ts";
import type { DeviceGroup } from "./group.ts";

/** A device group and its owner. */
export interface OwnedGroup {
  readonly accountId: string;
  readonly groupId: string;
}

/** The name and the devices of a group. */
export interface GroupContent {
  readonly name: string;
  readonly deviceIds: readonly string[];
}

/** The changes to a device group; null keeps the current value. */
export type GroupChange = { readonly [Name in keyof GroupContent]: GroupContent[Name] | null };

/** Returns whether the account has this group. */
export async function groupExists(
  { database: { db } }: Context,
  { accountId, groupId }: OwnedGroup,
): Promise<boolean> {
  const row = await db
    .selectFrom("device_group")
    .select("id")
    .where("id", "=", groupId)
    .where("account_id", "=", accountId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns a group of the account; null if there is none with this id. */
export async function findGroup(
  context: Context,
  { accountId, groupId }: OwnedGroup,
): Promise<DeviceGroup | null> {
  const row = await context.database.db
    .selectFrom("device_group")
    .select(["id", "name"])
    .where("id", "=", groupId)
    .where("account_id", "=", accountId)
    .executeTakeFirst();
  if (row === undefined) return null;
  const deviceIds = await findDeviceIds(context, [groupId]);
  return { ...row, deviceIds: deviceIds.get(groupId) ?? [] };
}

/** Returns the account's groups after the id `after`, oldest first. */
export async function listGroups(
  context: Context,
  input: { readonly accountId: string; readonly after: string | null; readonly limit: number },
): Promise<readonly DeviceGroup[]> {
  const rows = await context.database.db
    .selectFrom("device_group")
    .select(["id", "name"])
    .where("account_id", "=", input.accountId)
    .where("id", ">", input.after ?? "")
    .orderBy("id")
    .limit(input.limit)
    .execute();
  const deviceIds = await findDeviceIds(
    context,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({ ...row, deviceIds: deviceIds.get(row.id) ?? [] }));
}

/**
 * Creates a group and returns its id; `full` if the account already has `max` groups. Skips devices that are not live
 * or belong to another account.
 */
export async function insertGroup(
  context: Context,
  input: GroupContent & { readonly accountId: string; readonly max: number },
): Promise<{ readonly id: string } | "full"> {
  const { database, newId, now } = context;
  const { accountId, name, max } = input;
  const groupId = newId();
  const count = (db: Kysely<Schema>) =>
    db
      .selectFrom("device_group")
      .select(({ fn }) => fn.countAll().as("count"))
      .where("account_id", "=", accountId)
      .executeTakeFirstOrThrow();
  return addWithinLimit(database, { name: `groups ${accountId}`, max, count }, async (db) => {
    await db
      .insertInto("device_group")
      .values({ id: groupId, account_id: accountId, name, created_at: now() })
      .execute();
    if (input.deviceIds.length > 0) {
      await db.executeQuery(addDevicesQuery(context, { ...input, groupId }).compile());
    }
    return { id: groupId };
  });
}

/** Changes the name of a group of the account, its devices, or both. Changes nothing if there is no such group. */
export async function updateGroup(
  context: Context,
  input: OwnedGroup & GroupChange,
): Promise<void> {
  const { deviceIds } = input;
  await context.database.atomically([
    renameGroupQuery(context, input),
    ...(deviceIds === null
      ? []
      : [
          removeAllDevicesQuery(context, input),
          ...(deviceIds.length === 0 ? [] : [addDevicesQuery(context, { ...input, deviceIds })]),
        ]),
  ]);
}

/** Deletes a group of the account, but not its devices. Returns false if there is no such group. */
export async function deleteGroup(
  context: Context,
  { accountId, groupId }: OwnedGroup,
): Promise<boolean> {
  const row = await context.database.db
    .deleteFrom("device_group")
    .where("id", "=", groupId)
    .where("account_id", "=", accountId)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns the query that deletes the group memberships of the given devices that are retired. */
export function removeRetiredFromGroupsQuery(
  { database: { db } }: Context,
  deviceIds: readonly string[],
): Compilable {
  return db
    .deleteFrom("device_group_member")
    .where("device_id", "in", (eb) =>
      eb
        .selectFrom("device")
        .select("id")
        .where("id", "in", deviceIds)
        .where("retired_at", "is not", null),
    );
}

/**
 * Returns the query that renames a group; a null `name` keeps the current one. It locks the group's row in both cases,
 * so that the second of two concurrent changes of the group's devices sees the first.
 */
function renameGroupQuery(
  { database: { db } }: Context,
  { accountId, groupId, name }: OwnedGroup & { readonly name: string | null },
): Compilable {
  return db
    .updateTable("device_group")
    .set((eb) => ({ name: name ?? eb.ref("name") }))
    .where("id", "=", groupId)
    .where("account_id", "=", accountId);
}

/** Returns the query that removes all devices from a group of the account. */
function removeAllDevicesQuery(
  { database: { db } }: Context,
  { accountId, groupId }: OwnedGroup,
): Compilable {
  return db
    .deleteFrom("device_group_member")
    .where("group_id", "in", (eb) =>
      eb
        .selectFrom("device_group")
        .select("id")
        .where("id", "=", groupId)
        .where("account_id", "=", accountId),
    );
}

/**
 * Returns the query that adds at least one device to a group. It selects the rows that it inserts, so it skips a group
 * or device that was removed meanwhile.
 */
function addDevicesQuery(
  { database: { db } }: Context,
  { accountId, groupId, deviceIds }: OwnedGroup & { readonly deviceIds: readonly string[] },
): Compilable {
  const newRows = db
    .selectFrom("device_group")
    .innerJoin("device", "device.account_id", "device_group.account_id")
    .select(["device_group.id as group_id", "device.id as device_id"])
    .where("device_group.id", "=", groupId)
    .where("device_group.account_id", "=", accountId)
    .where("device.id", "in", deviceIds)
    .where("device.retired_at", "is", null);
  return db
    .insertInto("device_group_member")
    .columns(["group_id", "device_id"])
    .expression(newRows);
}

/** Returns the ids of the live devices of each group, by the group's id. */
async function findDeviceIds(
  { database: { db } }: Context,
  groupIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (groupIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("device_group_member")
    .innerJoin("device", "device.id", "device_group_member.device_id")
    .select(["device_group_member.group_id", "device.id as device_id"])
    .where("device_group_member.group_id", "in", groupIds)
    .where("device.retired_at", "is", null)
    .orderBy("device.id")
    .execute();
  const byGroup = Map.groupBy(rows, (row) => row.group_id);
  return new Map(
    [...byGroup].map(([groupId, groupRows]) => [groupId, groupRows.map((row) => row.device_id)]),
  );
}

/** Returns the names of at most 500 groups by id. */
export async function findGroupNames(
  { database: { db } }: Context,
  groupIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (groupIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("device_group")
    .select(["id", "name"])
    .where("id", "in", groupIds.slice(0, GROUPS_PER_QUERY_MAX))
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** The maximum number of groups in one query. */
const GROUPS_PER_QUERY_MAX = 500;
