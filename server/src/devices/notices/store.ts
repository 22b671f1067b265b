import type { Kysely } from "kysely";
import { confirmedAddress } from "#accounts/store/addresses.ts";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import { NOTICE_SPAN_MS, oweGathered } from "#mail/store/held.ts";
import type { Address } from "#providers/provider.ts";
import type { Device } from "../device.ts";
import { DEVICE_NOTICE, moreDevicesMail, newDeviceMail, type AnnouncedDevice } from "./mail.ts";

/** The maximum number of devices named in one mail. */
const NAMED_MAX = 20;

/** A device that is being added, and the server's base URL. */
export interface Added {
  readonly baseUrl: string;
  readonly accountId: string;
  readonly device: Device;
}

/**
 * Stores the mail that notifies an account of a device. Runs in the transaction that adds the device and has locked
 * the account's devices. The first mail is sent immediately. Devices that follow within `NOTICE_SPAN_MS` share one
 * mail; each of them rewrites it until it is sent. An account without a confirmed address gets no mail.
 */
export async function oweNotice(
  db: Kysely<Schema>,
  context: Context,
  { baseUrl, accountId, device }: Added,
): Promise<void> {
  const to = await confirmedAddress(db, accountId);
  if (to === null) return;
  const target = { baseUrl, to };
  const isFirstDevice = await isFirst(db, context, { accountId, device });
  await oweGathered(db, context, {
    purpose: DEVICE_NOTICE,
    to,
    at: device.createdAt,
    first: isFirstDevice ? newDeviceMail(target, device) : null,
    more: async (since) => moreDevicesMail(target, await devicesSince(db, { accountId, since })),
  });
}

async function isFirst(
  db: Kysely<Schema>,
  { now }: Context,
  { accountId, device }: Pick<Added, "accountId" | "device">,
): Promise<boolean> {
  const row = await db
    .selectFrom("device")
    .select("id")
    .where("account_id", "=", accountId)
    .where("id", "<>", device.id)
    .where("created_at", ">", now() - NOTICE_SPAN_MS)
    .limit(1)
    .executeTakeFirst();
  return row === undefined;
}

/** Includes devices that were removed in the meantime, because they were added. */
async function devicesSince(
  db: Kysely<Schema>,
  { accountId, since }: { readonly accountId: string; readonly since: number },
) {
  const all = db.selectFrom("device").where("account_id", "=", accountId);
  const added = all.where("created_at", ">=", since);
  const rows = await added
    .select(["name", "platform", "address", "created_at"])
    .where("retired_at", "is", null)
    .orderBy("id")
    .limit(NAMED_MAX)
    .execute();
  const { count } = await added
    .select(({ fn }) => fn.countAll().as("count"))
    .executeTakeFirstOrThrow();
  const { total } = await all
    .select(({ fn }) => fn.countAll().as("total"))
    .where("retired_at", "is", null)
    .executeTakeFirstOrThrow();
  const devices = rows.map(({ name, platform, address, created_at }): AnnouncedDevice => ({
    name,
    platform,
    // Only this folder writes the column.
    address: JSON.parse(address) as Address,
    createdAt: created_at,
  }));
  return { devices, count: Number(count), total: Number(total) };
}
