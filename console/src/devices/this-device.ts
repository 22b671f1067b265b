import i18next from "i18next";
import type { Device } from "@tocsin/sdk";
import { client } from "../client.ts";
import {
  requestPermission,
  findSubscription,
  readBrowserFacts,
  subscribeToPush,
  unsubscribeFromPush,
} from "./browser.ts";
import {
  findNotificationState,
  findObstacle,
  type BrowserFacts,
  type NotificationState,
} from "./notification-state.ts";
import { storeActionKey } from "./action-key.ts";
import { toOwnerName, toProductName } from "./device-name.ts";
import { toNewDevice } from "./new-device.ts";
import { deleteRecord } from "../worker/worker-records.ts";
import { ownRegistrations } from "./own-registrations.ts";
import { removeDevice } from "./remove-device.ts";
import {
  deleteStoredDevice,
  belongsToOtherAccount,
  readStoredDevice,
  storeDevice,
  type StoredDevice,
} from "./stored-device.ts";

/** This browser as a device of an account. `deviceId` is null unless notifications are on. */
export interface ThisDevice {
  readonly notificationState: NotificationState;
  readonly deviceId: string | null;
}

/**
 * Finds this browser among the account's devices. If notifications are on, sends its endpoint to the server again,
 * because the browser may have changed it.
 */
export async function findThisDevice(
  accountId: string,
  devices: readonly Device[],
): Promise<ThisDevice> {
  const facts = await readBrowserFacts();
  const obstacle = findObstacle(facts);
  if (obstacle !== null) return { notificationState: obstacle, deviceId: null };
  const storedDevice = readStoredDevice(accountId);
  const { publicKey } = await client.webPushKey();
  const registeredEndpoint = findRegisteredEndpoint(facts, { storedDevice, devices });
  const notificationState = findNotificationState(facts, {
    serverKey: publicKey,
    registeredEndpoint,
    belongsToOtherAccount: belongsToOtherAccount(accountId),
  });
  if (notificationState !== "on") return { notificationState, deviceId: null };
  const listedDevice = devices.find(({ id }) => id === storedDevice?.deviceId);
  const deviceId = await registerBrowser(
    accountId,
    listedDevice?.name ?? (await createDeviceName()),
  );
  return { notificationState: deviceId === null ? "off" : notificationState, deviceId };
}

/**
 * Returns the endpoint of this browser's device; null if it has none, for example because the owner removed it. A
 * changed endpoint does not count as a removal.
 */
function findRegisteredEndpoint(
  { subscription }: BrowserFacts,
  {
    storedDevice,
    devices,
  }: { readonly storedDevice: StoredDevice | null; readonly devices: readonly Device[] },
): string | null {
  if (storedDevice === null || subscription === null) return null;
  if (storedDevice.endpoint !== subscription.endpoint) return subscription.endpoint;
  return devices.some(({ id }) => id === storedDevice.deviceId) ? storedDevice.endpoint : null;
}

/** Registers this browser as a device of the account. Resolves with its id; null if the permission was not granted. */
export async function turnOnNotifications(accountId: string): Promise<string | null> {
  // Runs before any other await: browsers ask for permission only in response to a click.
  if (!(await requestPermission())) return null;
  const { publicKey } = await client.webPushKey();
  await subscribeToPush(publicKey);
  const deviceId = await registerBrowser(accountId, await createDeviceName());
  if (deviceId === null) throw new Error(i18next.t("error.subscriptionEnded"));
  return deviceId;
}

/** Returns a name for a new device. It contains the owner, so that a team's log distinguishes its members' iPhones. */
async function createDeviceName(): Promise<string> {
  const productName = toProductName(navigator.userAgent);
  const ownerName = toOwnerName((await client.me()).name);
  if (ownerName === "") return productName;
  // In German, a name that ends in a sibilant gets no genitive s.
  const endsInSibilant = /[sßxz]$/i.test(ownerName);
  return endsInSibilant
    ? i18next.t("device.ofSibilant", { owner: ownerName, thing: productName })
    : i18next.t("device.of", { owner: ownerName, thing: productName });
}

/** Removes the device that `turnOnNotifications` registered and ends its subscription. Safe to repeat. */
export async function turnOffNotifications(accountId: string): Promise<void> {
  const storedDevice = readStoredDevice(accountId);
  if (storedDevice === null) return;
  await removeDevice(storedDevice.deviceId);
  await unsubscribeFromPush();
  deleteStoredDevice();
}

/** Ends this browser's subscription after the server has deleted the device. */
export async function endSubscription(): Promise<void> {
  await unsubscribeFromPush();
  deleteStoredDevice();
  await deleteRecord("deviceKey").catch(() => {});
}

/**
 * Sends this browser's subscription to the server and removes the device of its previous endpoint. Returns the device's
 * id; null if the browser has no subscription. If the browser ended the subscription in the meantime, removes the
 * device again.
 */
async function registerBrowser(accountId: string, name: string): Promise<string | null> {
  const subscription = await findSubscription();
  if (subscription === null) return null;
  const { endpoint } = subscription;
  const device = toNewDevice(subscription, name);
  const registered = await ownRegistrations.run(() => client.devices.create(device));
  const { id } = registered;
  const previousDevice = readStoredDevice(accountId);
  storeDevice({ accountId, deviceId: id, endpoint });
  await storeActionKey(registered);
  if (previousDevice !== null && previousDevice.deviceId !== id)
    await removeDevice(previousDevice.deviceId);
  const currentSubscription = await findSubscription();
  if (currentSubscription?.endpoint === endpoint) return id;
  await removeDevice(id);
  if (currentSubscription !== null) return registerBrowser(accountId, name);
  deleteStoredDevice();
  return null;
}
