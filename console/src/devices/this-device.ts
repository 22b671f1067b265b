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
  const known = devices.find(({ id }) => id === kept?.deviceId);
  return { capability, deviceId: await register(accountId, known?.name ?? (await newName())) };
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
  return register(accountId, await newName());
}

/** Returns the name of a new device, after its owner: a team's log is of no use where each member has an iPhone. */
async function newName(): Promise<string> {
  const thing = thingOf(navigator.userAgent);
  const owner = calledOf((await client.me()).name);
  if (owner === "") return thing;
  // German has no letter to add to a name that ends in a hiss.
  const isHissing = /[sßxz]$/i.test(owner);
  return isHissing
    ? i18next.t("device.ofHissing", { owner, thing })
    : i18next.t("device.of", { owner, thing });
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
async function register(accountId: string, name: string): Promise<string> {
  const subscription = await findSubscription();
  if (subscription === null) throw new Error("This browser ended its subscription. Try again.");
  const device = newDeviceOf(subscription, name);
  const { id } = await ownRegistrations.run(() => client.devices.create(device));
  const former = recall(accountId);
  remember({ accountId, deviceId: id, endpoint: subscription.endpoint });
  if (former !== null && former.deviceId !== id) await removeDevice(former.deviceId);
  return id;
}
