import type { RegisteredDevice } from "@tocsin/sdk";
import { formatBrowserName } from "../devices/device-name.ts";
import { toNewDevice } from "../devices/new-device.ts";
import { postToPages } from "./pages.ts";
import { fetchOrThrow, postJson } from "./server-requests.ts";
import { writeRecord } from "./worker-records.ts";

declare const self: ServiceWorkerGlobalScope;

/** Registers a renewed subscription. It needs the session cookie; without one, the page registers it when it opens. */
export async function renewSubscription(event: PushSubscriptionChangeEvent): Promise<void> {
  const subscription = event.newSubscription ?? (await subscribe());
  const device = toNewDevice(subscription, formatBrowserName(navigator.userAgent));
  await storeKey(await postJson("/api/app/v1/devices", device));
  await postToPages({ kind: "renewed" });
}

/** Subscribes with the server's current key. The event may lack the old subscription, and its key may be outdated. */
async function subscribe(): Promise<PushSubscription> {
  const body: unknown = await (await fetchOrThrow("/api/app/v1/webpush/key", {})).json();
  const isKey = typeof body === "object" && body !== null && "publicKey" in body;
  if (!isKey) throw new Error("The server returned no key for the subscription.");
  const applicationServerKey = String(body.publicKey);
  return self.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
}

/** Stores the key of a device that was just added. The page gets one for a device that was not. */
async function storeKey(response: Response): Promise<void> {
  // The server's answer to a registration.
  const { id: deviceId, actionKey } = (await response.json()) as RegisteredDevice;
  if (actionKey !== undefined) await writeRecord("deviceKey", { deviceId, actionKey });
}
