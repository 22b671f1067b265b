import type { Kysely } from "kysely";
import type { Context } from "#context.ts";
import type { Schema } from "#database/schema.ts";
import { findHeldMail, rewriteHeldMail } from "#mail/held/store.ts";
import { isEmailAddress, type Mail } from "#mail/mail.ts";
import { heldMailInsert, mailInsert } from "#mail/store.ts";
import type { Address } from "#providers/provider.ts";
import type { Device } from "../device.ts";
import { DEVICE_NOTICE, moreDevicesMail, newDeviceMail, type AddedDevice } from "./mail.ts";

/** After a device was added, those that follow within this time are told in one mail, which waits for as long. */
export const NOTICE_SPAN_MS = 10 * 60_000;

/** So many devices of one mail are named. */
const NAMED_MAX = 20;

/** A device that a transaction adds, and the server's own address. */
export interface Added {
  readonly baseUrl: string;
  readonly accountId: string;
  readonly device: Device;
}

/**
 * Makes the mail owed that tells an account of a device, in the transaction that adds it and holds the account's devices. The
 * first goes out at once; of those that follow within `NOTICE_SPAN_MS` all stand in one mail, rewritten by each until it
 * goes out. An account without a confirmed address is told nothing.
 */
export async function oweNotice(
  db: Kysely<Schema>,
  context: Context,
  { baseUrl, accountId, device }: Added,
): Promise<void> {
  const to = await confirmedAddress(db, accountId);
  if (to === null) return;
  const where = { baseUrl, to };
  const owe = async (mail: Mail, heldMs: number) => {
    const query = heldMs === 0 ? mailInsert(context, mail) : heldMailInsert(context, mail, heldMs);
    await db.executeQuery(query.compile());
  };
  if (await isFirst(db, context, { accountId, device })) {
    return owe(newDeviceMail(where, device), 0);
  }
  const held = await findHeldMail(db, { purpose: DEVICE_NOTICE, to });
  // After the clock was set back, what is added now would lie before what is told already.
  const since = Math.min(held?.since ?? device.createdAt, device.createdAt);
  const mail = moreDevicesMail(where, await devicesSince(db, { accountId, since }));
  if (held !== null && (await rewriteHeldMail(db, context, { ...held, since, mail }))) return;
  const alone = { accountId, since: device.createdAt };
  await owe(moreDevicesMail(where, await devicesSince(db, alone)), NOTICE_SPAN_MS);
}

async function confirmedAddress(db: Kysely<Schema>, accountId: string): Promise<string | null> {
  const row = await db
    .selectFrom("account")
    .select(["email", "email_verified"])
    .where("id", "=", accountId)
    .executeTakeFirst();
  if (row === undefined || !row.email_verified) return null;
  // An identity provider may have given one that no mail goes to: that must not keep a device out.
  return isEmailAddress(row.email) ? row.email : null;
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

/** Those that are gone again are counted too: they were added. */
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
  const devices = rows.map(({ name, platform, address, created_at }): AddedDevice => ({
    name,
    platform,
    // Written by this room alone.
    address: JSON.parse(address) as Address,
    createdAt: created_at,
  }));
  return { devices, count: Number(count), total: Number(total) };
}
