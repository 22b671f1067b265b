import i18next from "i18next";
import type { Device } from "@tocsin/sdk";
import { client } from "../client.ts";
import {
  requestPermission,
  findSubscription,
  readBrowser,
  subscribe,
  unsubscribe,
} from "./browser.ts";
import { findCapability, findObstacle, type BrowserFacts, type Capability } from "./capability.ts";
import { toOwnerName, toProductName } from "./device-name.ts";
import { toNewDevice } from "./new-device.ts";
import { ownRegistrations } from "./own-registrations.ts";
import { removeDevice } from "./remove-device.ts";
import {
  deleteStoredDevice,
  belongsToOtherAccount,
  readStoredDevice,
  storeDevice,
  type StoredDevice,
} from "./stored-device.ts";

/** This browser as a device of an account. `deviceId` is null if it is not one of the account's devices. */
export interface ThisDevice {
  readonly capability: Capability;
  readonly deviceId: string | null;
}

/**
 * Finds this browser among the account's devices. If it is one of them, sends its endpoint to the server again, because
 * the browser may have changed it.
 */
export async function findThisDevice(
  accountId: string,
  devices: readonly Device[],
): Promise<ThisDevice> {
  const facts = await readBrowser();
  const obstacle = findObstacle(facts);
  if (obstacle !== null) return { capability: obstacle, deviceId: null };
  const stored = readStoredDevice(accountId);
  const { publicKey } = await client.webPushKey();
  const registeredEndpoint = findRegisteredEndpoint(facts, { stored, devices });
  const capability = findCapability(facts, {
    serverKey: publicKey,
    registeredEndpoint,
    belongsToOtherAccount: belongsToOtherAccount(accountId),
  });
  if (capability !== "on") return { capability, deviceId: null };
  const listed = devices.find(({ id }) => id === stored?.deviceId);
  const deviceId = await register(accountId, listed?.name ?? (await createName()));
  return { capability: deviceId === null ? "off" : capability, deviceId };
}

/** Returns the endpoint of this browser's device; null if the owner removed it. A new endpoint does not remove it. */
function findRegisteredEndpoint(
  { subscription }: BrowserFacts,
  {
    stored,
    devices,
  }: { readonly stored: StoredDevice | null; readonly devices: readonly Device[] },
): string | null {
  if (stored === null || subscription === null) return null;
  if (stored.endpoint !== subscription.endpoint) return subscription.endpoint;
  return devices.some(({ id }) => id === stored.deviceId) ? stored.endpoint : null;
}

/** Registers this browser as a device of the account. Resolves with its id; null if the permission was denied. */
export async function turnOn(accountId: string): Promise<string | null> {
  // Runs before any other await: browsers ask for permission only in response to a click.
  if (!(await requestPermission())) return null;
  const { publicKey } = await client.webPushKey();
  await subscribe(publicKey);
  const deviceId = await register(accountId, await createName());
  if (deviceId === null) throw new Error("This browser ended its subscription. Try again.");
  return deviceId;
}

/** Returns a name for a new device. It contains the owner, so that a team's log distinguishes its members' iPhones. */
async function createName(): Promise<string> {
  const product = toProductName(navigator.userAgent);
  const owner = toOwnerName((await client.me()).name);
  if (owner === "") return product;
  // In German, a name that ends in a sibilant gets no genitive s.
  const endsInSibilant = /[sßxz]$/i.test(owner);
  return endsInSibilant
    ? i18next.t("device.ofHissing", { owner, thing: product })
    : i18next.t("device.of", { owner, thing: product });
}

/** Removes the device that `turnOn` registered and ends its subscription. Safe to repeat. */
export async function turnOff(accountId: string): Promise<void> {
  const stored = readStoredDevice(accountId);
  if (stored === null) return;
  await removeDevice(stored.deviceId);
  await unsubscribe();
  deleteStoredDevice();
}

/** Ends this browser's subscription after the server has deleted the device. */
export async function unsubscribeBrowser(): Promise<void> {
  await unsubscribe();
  deleteStoredDevice();
}

/**
 * Sends this browser's subscription to the server and removes the device of its previous endpoint. Returns the device's
 * id; null if the browser ended the subscription in the meantime, which removes the device.
 */
async function register(accountId: string, name: string): Promise<string | null> {
  const subscription = await findSubscription();
  if (subscription === null) return null;
  const { endpoint } = subscription;
  const device = toNewDevice(subscription, name);
  const { id } = await ownRegistrations.run(() => client.devices.create(device));
  const previous = readStoredDevice(accountId);
  storeDevice({ accountId, deviceId: id, endpoint });
  if (previous !== null && previous.deviceId !== id) await removeDevice(previous.deviceId);
  const current = await findSubscription();
  if (current?.endpoint === endpoint) return id;
  await removeDevice(id);
  if (current !== null) return register(accountId, name);
  deleteStoredDevice();
  return null;
}
