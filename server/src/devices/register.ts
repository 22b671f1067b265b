import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError, invalidField } from "#errors.ts";
import { parseAddress, type CheckWebPushAddress, type PushInput } from "./address.ts";
import { DEVICES_MAX, parseName, requireReach, type Device, type Platform } from "./device.ts";
import { insertDevice, refreshDevice } from "./store/devices.ts";

export interface RegisterDeps {
  readonly context: Context;
  readonly checkWebPushAddress: CheckWebPushAddress;
  /** How owners are told of new devices by mail; null where the server sends none. */
  readonly notices: DeviceNotices | null;
}

/** What telling owners by mail needs. */
export interface DeviceNotices {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Told after a mail was committed. */
  readonly wakeMail: () => void;
}

export interface RegisterInput {
  readonly accountId: string;
  /** Null where the account has the device already: it keeps the name it has. */
  readonly name: string | null;
  readonly platform: Platform;
  readonly push: PushInput;
  readonly by: Actor;
}

/**
 * Refreshes the device of the account that has this address, or else adds one, of which its owner is told. Another account's
 * device with the same address is left alone: who knows an address has not proved to own the device.
 */
export async function registerDevice(
  { context, checkWebPushAddress, notices }: RegisterDeps,
  { accountId, platform, push, by, ...given }: RegisterInput,
): Promise<{ readonly device: Device; readonly isNew: boolean }> {
  requireReach(platform, push.provider);
  const address = parseAddress(checkWebPushAddress, push);
  const name = given.name === null ? null : parseName(given.name);
  const registration = { accountId, platform, address, name };
  const known = await refreshDevice(context, registration);
  if (known !== null) return { device: known, isNew: false };
  if (name === null) throw invalidField("name", "name is required for a new device.");
  const adding = { by, most: DEVICES_MAX, noticeUrl: notices?.baseUrl ?? null };
  const added = await insertDevice(context, { ...registration, name, ...adding });
  if (added !== "known" && added !== "full") {
    notices?.wakeMail();
    return { device: added, isNew: true };
  }
  return { device: await refreshAgain(context, registration, added === "full"), isNew: false };
}

/** Another request may have added the device between our two looks. */
async function refreshAgain(
  context: Context,
  registration: Parameters<typeof refreshDevice>[1],
  isFull: boolean,
): Promise<Device> {
  const device = await refreshDevice(context, registration);
  if (device !== null) return device;
  const message = `An account has at most ${DEVICES_MAX} devices. Remove those that you do not use, under Devices in the console, then add this one again.`;
  if (isFull) throw new AppError("conflict", message);
  throw new AppError("conflict", "This device was added and removed meanwhile. Try again.");
}
