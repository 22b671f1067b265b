import type { RegisteredDevice } from "@tocsin/sdk";
import { formatBrowserName } from "../devices/device-name.ts";
import { toNewDevice } from "../devices/new-device.ts";
import { postToPages } from "./pages.ts";
import { fetchOrThrow, postJson } from "./server-requests.ts";
import { writeRecord } from "./worker-records.ts";

declare const self: ServiceWorkerGlobalScope;

/** Registers a renewed subscription. Without the session cookie, the next page that opens registers it instead. */
export async function renewSubscription(event: PushSubscriptionChangeEvent): Promise<void> {
  const subscription = event.newSubscription ?? (await subscribe());
  const device = toNewDevice(subscription, formatBrowserName(navigator.userAgent));
  await storeNewActionKey(await postJson("/api/app/v1/devices", device));
  await postToPages({ kind: "renewed" });
}

/** Subscribes with the server's current key. The event may lack the old subscription, and its key may be outdated. */
async function subscribe(): Promise<PushSubscription> {
  const body: unknown = await (await fetchOrThrow("/api/app/v1/webpush/key", {})).json();
  const hasKey = typeof body === "object" && body !== null && "publicKey" in body;
  if (!hasKey) throw new Error("The server returned no key for the subscription.");
  const applicationServerKey = String(body.publicKey);
  return self.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
}

/** Stores the action key if the device is new. For any other device, a page gets a new key when it needs one. */
async function storeNewActionKey(response: Response): Promise<void> {
  // This is the server's response to a registration.
  const { id: deviceId, actionKey } = (await response.json()) as RegisteredDevice;
  if (actionKey !== undefined) await writeRecord("deviceKey", { deviceId, actionKey });
}
