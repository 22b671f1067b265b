import type { NewDevice } from "@tocsin/sdk";

/** Returns the request that makes a browser's subscription a device; throws if the browser gave no keys. */
export function newDeviceOf(subscription: PushSubscription, name: string): NewDevice {
  const { endpoint, keys } = subscription.toJSON();
  const p256dh = keys?.["p256dh"];
  const auth = keys?.["auth"];
  if (endpoint === undefined || p256dh === undefined || auth === undefined) {
    throw new Error("This browser subscribed without keys; nothing can be encrypted for it.");
  }
  return {
    name,
    platform: "web",
    push: { provider: "webpush", endpoint, keys: { p256dh, auth } },
  };
}
