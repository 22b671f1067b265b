import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError, invalidField } from "#errors.ts";
import { createActionKey, hashActionKey } from "./action-keys/action-key.ts";
import { parseAddress, type CheckWebPushAddress, type PushInput } from "./address.ts";
import {
  DEVICES_MAX,
  parseName,
  requireReachablePlatform,
  type Device,
  type Platform,
} from "./device.ts";
import { insertDevice, refreshDevice } from "./store/devices.ts";

/** The dependencies of the registration of devices. */
export interface RegisterDeviceDeps {
  readonly context: Context;
  readonly checkWebPushAddress: CheckWebPushAddress;
  /** Mails to owners about new devices; null if the server sends no mail. */
  readonly notices: DeviceNotices | null;
}

/** The dependencies of mails about new devices. */
export interface DeviceNotices {
  /** The URL has no trailing slash. */
  readonly baseUrl: string;
  /** Called after a device was added, which may have queued a mail. */
  readonly wakeMailSender: () => void;
}

/** A request to register a device, with its unchecked push address. */
export interface RegisterDeviceInput {
  readonly accountId: string;
  /** Null keeps the name of a device that the account already has. */
  readonly name: string | null;
  readonly platform: Platform;
  readonly push: PushInput;
  readonly actor: Actor;
}

/** A registered device. */
export interface RegisteredDevice {
  readonly device: Device;
  readonly isNew: boolean;
  /** The key of a device that was just added; null for a refreshed one, which keeps its key. */
  readonly actionKey: string | null;
}

/**
 * Refreshes the account's device with this address, or adds one and notifies its owner. Another account's device with
 * the same address does not change, because knowing an address does not prove owning the device. Throws `invalid_field`
 * if a field is invalid, and `conflict` at the limit of devices.
 */
export async function registerDevice(
  { context, checkWebPushAddress, notices }: RegisterDeviceDeps,
  { accountId, platform, push, actor, ...input }: RegisterDeviceInput,
): Promise<RegisteredDevice> {
  requireReachablePlatform(platform, push.provider);
  const address = parseAddress(checkWebPushAddress, push);
  const name = input.name === null ? null : parseName(input.name);
  const registration = { accountId, platform, address, name };
  const refreshedDevice = await refreshDevice(context, registration);
  if (refreshedDevice !== null) return { device: refreshedDevice, isNew: false, actionKey: null };
  if (name === null) throw invalidField("name", "name is required for a new device.");
  const actionKey = createActionKey();
  const actionKeyHash = hashActionKey(actionKey);
  const noticeUrl = notices?.baseUrl ?? null;
  const options = { actor, max: DEVICES_MAX, noticeUrl, actionKeyHash };
  const insertResult = await insertDevice(context, { ...registration, name, ...options });
  if (insertResult !== "exists" && insertResult !== "full") {
    notices?.wakeMailSender();
    return { device: insertResult, isNew: true, actionKey };
  }
  return {
    device: await refreshAddedDevice(context, registration, insertResult === "full"),
    isNew: false,
    actionKey: null,
  };
}

/** Refreshes the device if another request added it between the two queries; throws `conflict` otherwise. */
async function refreshAddedDevice(
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
