import type { Kysely } from "kysely";
import { findVerifiedAddress } from "#accounts/store/addresses.ts";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import { NOTICE_INTERVAL_MS, queueCombinedNotice } from "#mail/store/held-mails.ts";
import type { Address } from "#providers/provider.ts";
import type { Device } from "../device.ts";
import {
  DEVICE_NOTICE,
  composeMoreDevicesMail,
  composeNewDeviceMail,
  type AnnouncedDevice,
} from "./mail.ts";

/** The maximum number of devices named in one email. */
const NAMED_DEVICES_MAX = 20;

/** A device that is being added, and the server's base URL. */
export interface NoticeInput {
  readonly baseUrl: string;
  readonly accountId: string;
  readonly device: Device;
}

/**
 * Stores the email that notifies an account of a device. Runs in the transaction that adds the device and has locked
 * the account's devices. The first email is sent immediately. Devices that follow within `NOTICE_INTERVAL_MS` share one
 * email, which each of them rewrites until it is sent. An account without a verified address gets no email.
 */
export async function queueNoticeMail(
  db: Kysely<Schema>,
  context: Context,
  { baseUrl, accountId, device }: NoticeInput,
): Promise<void> {
  const to = await findVerifiedAddress(db, accountId);
  if (to === null) return;
  const recipient = { baseUrl, to };
  const isFirstDevice = await isFirstRecentDevice(db, context, { accountId, device });
  await queueCombinedNotice(db, context, {
    purpose: DEVICE_NOTICE,
    to,
    happenedAt: device.createdAt,
    firstMail: isFirstDevice ? composeNewDeviceMail(recipient, device) : null,
    createCombinedMail: async (since) =>
      composeMoreDevicesMail(recipient, await listDevicesAddedSince(db, { accountId, since })),
  });
}

async function isFirstRecentDevice(
  db: Kysely<Schema>,
  { now }: Context,
  { accountId, device }: Pick<NoticeInput, "accountId" | "device">,
): Promise<boolean> {
  const row = await db
    .selectFrom("device")
    .select("id")
    .where("account_id", "=", accountId)
    .where("id", "<>", device.id)
    .where("created_at", ">", now() - NOTICE_INTERVAL_MS)
    .limit(1)
    .executeTakeFirst();
  return row === undefined;
}

/**
 * Returns up to `NAMED_DEVICES_MAX` live devices that were added since `since`, the number of all devices that were
 * added since then, including removed ones, and the number of the account's live devices.
 */
async function listDevicesAddedSince(
  db: Kysely<Schema>,
  { accountId, since }: { readonly accountId: string; readonly since: number },
) {
  const ownDevices = db.selectFrom("device").where("account_id", "=", accountId);
  const addedDevices = ownDevices.where("created_at", ">=", since);
  const rows = await addedDevices
    .select(["name", "platform", "address", "created_at"])
    .where("retired_at", "is", null)
    .orderBy("id")
    .limit(NAMED_DEVICES_MAX)
    .execute();
  const { count } = await addedDevices
    .select(({ fn }) => fn.countAll().as("count"))
    .executeTakeFirstOrThrow();
  const { total } = await ownDevices
    .select(({ fn }) => fn.countAll().as("total"))
    .where("retired_at", "is", null)
    .executeTakeFirstOrThrow();
  const devices = rows.map(({ name, platform, address, created_at }): AnnouncedDevice => ({
    name,
    platform,
    // Only this room writes the column.
    address: JSON.parse(address) as Address,
    createdAt: created_at,
  }));
  return { devices, count: Number(count), total: Number(total) };
}
