import i18next from "i18next";
import type { BrowserFacts } from "./notification-state.ts";
import { withTimeout, registerWorker } from "../worker/register-worker.ts";

/**
 * Timeout of `PushManager.subscribe()`. In some Chromium builds, its promise never settles if the push service is
 * unreachable.
 */
const SUBSCRIBE_TIMEOUT_MS = 30_000;

/** Returns the facts about this browser that notifications depend on. */
export async function readBrowserFacts(): Promise<BrowserFacts> {
  const hasServiceWorkers = "serviceWorker" in navigator;
  const hasPush = "PushManager" in window;
  const hasNotifications = "Notification" in window;
  const canSubscribe = isSecureContext && hasServiceWorkers && hasPush && hasNotifications;
  const subscription = canSubscribe ? await findSubscription() : null;
  return {
    isSecure: isSecureContext,
    hasServiceWorkers,
    hasPush,
    hasNotifications,
    isAppleMobile: isAppleMobile(),
    isInstalled: isInstalledApp(),
    permission: hasNotifications ? Notification.permission : "default",
    subscription:
      subscription === null
        ? null
        : { endpoint: subscription.endpoint, serverKey: toServerKey(subscription) },
  };
}

/** Returns whether the page was opened from the Home Screen or as an installed app. */
export function isInstalledApp(): boolean {
  return matchMedia("(display-mode: standalone)").matches;
}

/** Returns this browser's push subscription; null if there is none. */
export async function findSubscription(): Promise<PushSubscription | null> {
  const registration = await registerWorker();
  return registration.pushManager.getSubscription();
}

/** Asks for permission to notify. Returns whether it was granted. Must be called from a click handler. */
export async function requestPermission(): Promise<boolean> {
  return (await Notification.requestPermission()) === "granted";
}

/** Ends any earlier subscription, and subscribes with the server's key. */
export async function subscribeToPush(serverKey: string): Promise<PushSubscription> {
  await unsubscribeFromPush();
  const registration = await registerWorker();
  const options = { userVisibleOnly: true, applicationServerKey: serverKey };
  return withTimeout(registration.pushManager.subscribe(options), {
    timeoutMs: SUBSCRIBE_TIMEOUT_MS,
    message: i18next.t("error.noPushService"),
  });
}

/** Ends this browser's subscription, if it has one. */
export async function unsubscribeFromPush(): Promise<void> {
  const subscription = await findSubscription();
  await subscription?.unsubscribe();
}

/** Returns the server key of a subscription in base64url; null if the browser hides it. */
function toServerKey({ options }: PushSubscription): string | null {
  const key = options.applicationServerKey;
  if (key === null) return null;
  const binary = String.fromCharCode(...new Uint8Array(key));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Returns whether this is an iPhone or iPad. An iPad's user agent says Mac, but no Mac has a touch screen. */
export function isAppleMobile(): boolean {
  const { userAgent, maxTouchPoints } = navigator;
  return /iPhone|iPad|iPod/.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1);
}
