import { sql } from "kysely";
import type { Context } from "#context.ts";
import { requireBatch } from "../../device.ts";
import { LEFT_SHOWN_MS, REMOVED, type LeftDevice } from "../left-device.ts";

/** True for a device whose app has registered its address again, under another id. */
export const HAS_COME_BACK = sql<boolean>`exists (select 1 from device as back
  where back.account_id = device.account_id and back.address_hash = device.address_hash
    and back.retired_at is null)`;

/** Returns up to `limit` devices that left an account within the last 90 days, most recent first. */
export async function listLeft(
  context: Context,
  { accountId, limit }: { readonly accountId: string; readonly limit: number },
): Promise<readonly LeftDevice[]> {
  const rows = await selectLeft(context)
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
export async function lastLeftAt(
  context: Context,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  requireBatch(accountIds);
  if (accountIds.length === 0) return new Map();
  const rows = await selectLeft(context)
    .select(({ fn }) => ["account_id", fn.max("retired_at").as("at")])
    .where("account_id", "in", accountIds)
    .groupBy("account_id")
    .execute();
  return new Map(rows.map(({ account_id: id, at }) => [id, Number(at)]));
}

function selectLeft({ database: { db }, now }: Context) {
  return db
    .selectFrom("device")
    .where("retired_at", ">=", now() - LEFT_SHOWN_MS)
    .where("retired_reason", "<>", REMOVED)
    .where((eb) => eb.not(HAS_COME_BACK));
}
