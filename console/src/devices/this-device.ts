import i18next from "i18next";
import type { Device } from "@tocsin/sdk";
import { client } from "../client.ts";
import { askPermission, findSubscription, readBrowser, subscribe, unsubscribe } from "./browser.ts";
import { capabilityOf, obstacleOf, type BrowserFacts, type Capability } from "./capability.ts";
import { calledOf, thingOf } from "./device-name.ts";
import { newDeviceOf } from "./new-device.ts";
import { ownRegistrations } from "./own-registrations.ts";
import { removeDevice } from "./remove-device.ts";
import { forget, isElsewhere, recall, remember, type Registered } from "./registered.ts";

/** This browser's place in an account; `deviceId` is null if it is not one of its devices. */
export interface ThisDevice {
  readonly capability: Capability;
  readonly deviceId: string | null;
}

/**
 * Returns this browser's place among the account's devices. If it is one of them, sends its endpoint to the server
 * again, as the browser may have changed it.
 */
export async function findThisDevice(
  accountId: string,
  devices: readonly Device[],
): Promise<ThisDevice> {
  const facts = await readBrowser();
  const obstacle = obstacleOf(facts);
  if (obstacle !== null) return { capability: obstacle, deviceId: null };
  const kept = recall(accountId);
  const { publicKey } = await client.webPushKey();
  const registeredEndpoint = registeredEndpointOf(facts, { kept, devices });
  const capability = capabilityOf(facts, {
    serverKey: publicKey,
    registeredEndpoint,
    isElsewhere: isElsewhere(accountId),
  });
  if (capability !== "on") return { capability, deviceId: null };
  const known = devices.find(({ id }) => id === kept?.deviceId);
  const deviceId = await register(accountId, known?.name ?? (await newName()));
  return { capability: deviceId === null ? "off" : capability, deviceId };
}

/** A device that its owner removed elsewhere stays removed; one whose browser changed its endpoint does not. */
function registeredEndpointOf(
  { subscription }: BrowserFacts,
  { kept, devices }: { readonly kept: Registered | null; readonly devices: readonly Device[] },
): string | null {
  if (kept === null || subscription === null) return null;
  if (kept.endpoint !== subscription.endpoint) return subscription.endpoint;
  return devices.some(({ id }) => id === kept.deviceId) ? kept.endpoint : null;
}

/** Makes this browser a device of the account; resolves with its id, null if notifications were not allowed. */
export async function turnOn(accountId: string): Promise<string | null> {
  // Before any other await: a browser asks for permission only on a click.
  if (!(await askPermission())) return null;
  const { publicKey } = await client.webPushKey();
  await subscribe(publicKey);
  const deviceId = await register(accountId, await newName());
  if (deviceId === null) throw new Error("This browser ended its subscription. Try again.");
  return deviceId;
}

/** Returns a new device's name, with its owner: a team's log is useless if every member's device is an iPhone. */
async function newName(): Promise<string> {
  const thing = thingOf(navigator.userAgent);
  const owner = calledOf((await client.me()).name);
  if (owner === "") return thing;
  // German adds no letter to a name that ends in a sibilant.
  const isHissing = /[sßxz]$/i.test(owner);
  return isHissing
    ? i18next.t("device.ofHissing", { owner, thing })
    : i18next.t("device.of", { owner, thing });
}

/** Removes the device that `turnOn` registered and ends its subscription; safe to repeat. */
export async function turnOff(accountId: string): Promise<void> {
  const kept = recall(accountId);
  if (kept === null) return;
  await removeDevice(kept.deviceId);
  await unsubscribe();
  forget();
}

/** Ends this browser's subscription if the server no longer knows the device. */
export async function abandon(): Promise<void> {
  await unsubscribe();
  forget();
}

/**
 * Sends this browser's subscription to the server, and removes the device of its earlier endpoint. Returns the device's
 * id; null if the browser has ended this subscription meanwhile, which leaves no device.
 */
async function register(accountId: string, name: string): Promise<string | null> {
  const subscription = await findSubscription();
  if (subscription === null) return null;
  const { endpoint } = subscription;
  const device = newDeviceOf(subscription, name);
  const { id } = await ownRegistrations.run(() => client.devices.create(device));
  const former = recall(accountId);
  remember({ accountId, deviceId: id, endpoint });
  if (former !== null && former.deviceId !== id) await removeDevice(former.deviceId);
  const present = await findSubscription();
  if (present?.endpoint === endpoint) return id;
  await removeDevice(id);
  if (present !== null) return register(accountId, name);
  forget();
  return null;
}
