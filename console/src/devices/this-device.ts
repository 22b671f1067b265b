import type { Device } from "@tocsin/sdk";
import { client } from "../client.ts";
import { askPermission, findSubscription, readBrowser, subscribe, unsubscribe } from "./browser.ts";
import { capabilityOf, obstacleOf, type BrowserFacts, type Capability } from "./capability.ts";
import { newDeviceOf } from "./new-device.ts";
import { ownRegistrations } from "./own-registrations.ts";
import { removeDevice } from "./remove-device.ts";
import { forget, isElsewhere, recall, remember, type Registered } from "./registered.ts";

/** What this browser is to an account: `deviceId` is null where it is no device of it. */
export interface ThisDevice {
  readonly capability: Capability;
  readonly deviceId: string | null;
}

/**
 * Returns what this browser is among the account's devices, and tells the server its address again where it is one of
 * them: the browser may have changed it.
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
  return { capability, deviceId: await register(accountId) };
}

/** A device that its owner removed elsewhere stays removed; one whose browser changed its address does not. */
function registeredEndpointOf(
  { subscription }: BrowserFacts,
  { kept, devices }: { readonly kept: Registered | null; readonly devices: readonly Device[] },
): string | null {
  if (kept === null || subscription === null) return null;
  if (kept.endpoint !== subscription.endpoint) return subscription.endpoint;
  return devices.some(({ id }) => id === kept.deviceId) ? kept.endpoint : null;
}

/** Makes this browser a device of the account; returns null where the person did not allow notifications. */
export async function turnOn(accountId: string): Promise<string | null> {
  // Before anything is awaited: a browser asks for permission only on a click.
  if (!(await askPermission())) return null;
  const { publicKey } = await client.webPushKey();
  await subscribe(publicKey);
  return register(accountId);
}

/** Ends what `turnOn` began; safe to repeat. */
export async function turnOff(accountId: string): Promise<void> {
  const kept = recall(accountId);
  if (kept === null) return;
  await removeDevice(kept.deviceId);
  await unsubscribe();
  forget();
}

/** Ends this browser's subscription where the server knows nothing of it any more. */
export async function abandon(): Promise<void> {
  await unsubscribe();
  forget();
}

/** Tells the server the address of this browser, and drops the device that it was under an address before. */
async function register(accountId: string): Promise<string> {
  const subscription = await findSubscription();
  if (subscription === null) throw new Error("This browser ended its subscription. Try again.");
  const device = newDeviceOf(subscription, navigator.userAgent);
  const { id } = await ownRegistrations.run(() => client.devices.create(device));
  const former = recall(accountId);
  remember({ accountId, deviceId: id, endpoint: subscription.endpoint });
  if (former !== null && former.deviceId !== id) await removeDevice(former.deviceId);
  return id;
}
