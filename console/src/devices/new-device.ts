import i18next from "i18next";
import type { NewDevice } from "@tocsin/sdk";

/** Returns the request that registers a browser's subscription as a device. Throws if the subscription has no keys. */
export function toNewDevice(subscription: PushSubscription, name: string): NewDevice {
  const { endpoint, keys } = subscription.toJSON();
  const p256dh = keys?.["p256dh"];
  const auth = keys?.["auth"];
  if (endpoint === undefined || p256dh === undefined || auth === undefined) {
    throw new Error(i18next.t("error.noSubscriptionKeys"));
  }
  return {
    name,
    platform: "web",
    push: { provider: "webpush", endpoint, keys: { p256dh, auth } },
  };
}
