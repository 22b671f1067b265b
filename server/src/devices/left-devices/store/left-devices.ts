import { sql } from "kysely";
import type { Context } from "#context.ts";
import { requireBatchSize } from "../../device.ts";
import { LEFT_DEVICE_LISTED_MS, REMOVED_BY_OWNER, type LeftDevice } from "../left-device.ts";

/** The condition that an app has registered the address of a device again, under another id. */
export const IS_REGISTERED_AGAIN = sql<boolean>`exists (select 1 from device as back
  where back.account_id = device.account_id and back.address_hash = device.address_hash
    and back.retired_at is null)`;

/** Returns up to `limit` devices that left an account within the last 90 days, most recent first. */
export async function listLeftDevices(
  context: Context,
  { accountId, limit }: { readonly accountId: string; readonly limit: number },
): Promise<readonly LeftDevice[]> {
  const rows = await selectLeftDevices(context)
    .select(["id", "name", "platform", "provider", "retired_at", "retired_reason"])
    .where("account_id", "=", accountId)
    .orderBy("retired_at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  return rows.map(({ id, name, platform, provider, retired_at, retired_reason }) => ({
    id,
    name,
    platform,
    provider,
    code: retired_reason ?? "",
    leftAt: retired_at ?? 0,
  }));
}

/** Returns, for up to 500 accounts, when their last device left. Omits accounts with none in the last 90 days. */
export async function findLastLeftAt(
  context: Context,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  requireBatchSize(accountIds);
  if (accountIds.length === 0) return new Map();
  const rows = await selectLeftDevices(context)
    .select(({ fn }) => ["account_id", fn.max("retired_at").as("at")])
    .where("account_id", "in", accountIds)
    .groupBy("account_id")
    .execute();
  return new Map(rows.map(({ account_id: id, at }) => [id, Number(at)]));
}

function selectLeftDevices({ database: { db }, now }: Context) {
  return db
    .selectFrom("device")
    .where("retired_at", ">=", now() - LEFT_DEVICE_LISTED_MS)
    .where("retired_reason", "<>", REMOVED_BY_OWNER)
    .where((eb) => eb.not(IS_REGISTERED_AGAIN));
}
