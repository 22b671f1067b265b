import type { BrowserFacts } from "./capability.ts";
import { inTime, readyWorker } from "../worker/registration.ts";

/** Limit of a subscription: some builds of Chromium never answer if their push service is unreachable. */
const SUBSCRIBE_TIMEOUT_MS = 30_000;

/** Returns the facts about this browser. */
export async function readBrowser(): Promise<BrowserFacts> {
  const hasWorkers = "serviceWorker" in navigator;
  const hasPush = "PushManager" in window;
  const hasNotifications = "Notification" in window;
  const isReady = isSecureContext && hasWorkers && hasPush && hasNotifications;
  const subscription = isReady ? await findSubscription() : null;
  return {
    isSecure: isSecureContext,
    hasWorkers,
    hasPush,
    hasNotifications,
    isAppleMobile: isAppleMobile(),
    isInstalled: isInstalled(),
    permission: hasNotifications ? Notification.permission : "default",
    subscription:
      subscription === null
        ? null
        : { endpoint: subscription.endpoint, serverKey: serverKeyOf(subscription) },
  };
}

/** Returns whether the page was opened from the Home Screen or as an installed app. */
export function isInstalled(): boolean {
  return matchMedia("(display-mode: standalone)").matches;
}

/** Returns this browser's push subscription; null for none. */
export async function findSubscription(): Promise<PushSubscription | null> {
  const worker = await readyWorker();
  return worker.pushManager.getSubscription();
}

/** Asks for permission; returns false if it was not granted. Must be called from a click. */
export async function askPermission(): Promise<boolean> {
  return (await Notification.requestPermission()) === "granted";
}

/** Subscribes with the server's key and replaces any earlier subscription. */
export async function subscribe(serverKey: string): Promise<PushSubscription> {
  await unsubscribe();
  const worker = await readyWorker();
  const options = { userVisibleOnly: true, applicationServerKey: serverKey };
  const message =
    "The push service of this browser does not answer. Check the connection and any blocker.";
  return inTime(worker.pushManager.subscribe(options), {
    timeoutMs: SUBSCRIBE_TIMEOUT_MS,
    message,
  });
}

/** Ends this browser's subscription, if there is one. */
export async function unsubscribe(): Promise<void> {
  const subscription = await findSubscription();
  await subscription?.unsubscribe();
}

/** Returns the key of a subscription in base64url, as the server writes it; null if the browser hides it. */
function serverKeyOf({ options }: PushSubscription): string | null {
  const key = options.applicationServerKey;
  if (key === null) return null;
  const binary = String.fromCharCode(...new Uint8Array(key));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Returns whether this is an iPhone or iPad: an iPad calls itself a Mac, but no Mac has a touch screen. */
export function isAppleMobile(): boolean {
  const { userAgent, maxTouchPoints } = navigator;
  return /iPhone|iPad|iPod/.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1);
}
