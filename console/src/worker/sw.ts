import {
  cleanupOutdatedCaches,
  createHandlerBoundToURL,
  precacheAndRoute,
  type PrecacheEntry,
} from "workbox-precaching";
import { NavigationRoute, registerRoute } from "workbox-routing";
import { deviceNameOf } from "../devices/device-name.ts";
import { newDeviceOf } from "../devices/new-device.ts";
import { FOREIGN_PATHS } from "../paths.ts";
import { clickTarget, DETAILS, opensByClick, type ClickData, type ClickTarget } from "./click.ts";
import { isTakeOver, type WorkerMessage } from "./message.ts";
import { genericMessage, parsePushMessage, type PushMessage } from "./push-message.ts";

declare const self: ServiceWorkerGlobalScope & {
  /** The build puts the console's files and their hashes here. */
  readonly __WB_MANIFEST: readonly PrecacheEntry[];
};

/** Timeout of a request: browsers end a worker that takes much longer. */
const REQUEST_TIMEOUT_MS = 20_000;
const { origin } = self.location;

// The page starts without the server too, and says what it then cannot load.
cleanupOutdatedCaches();
// oxlint-disable-next-line no-underscore-dangle -- the build looks for this name.
precacheAndRoute([...self.__WB_MANIFEST]);
registerRoute(
  new NavigationRoute(createHandlerBoundToURL("/index.html"), { denylist: [FOREIGN_PATHS] }),
);

// A new version waits until a page asks for it: open pages still find the files of the old one.
self.addEventListener("message", ({ data }) => {
  if (isTakeOver(data)) void self.skipWaiting();
});
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("push", (event) => {
  const message = messageOf(event);
  const { id, sound } = message;
  event.waitUntil(Promise.all([showAlways(message), tell({ kind: "arrived", id, sound })]));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const { data } = event.notification;
  const { userAgent } = navigator;
  const target = clickTarget({ data, action: event.action, origin, userAgent });
  event.waitUntil(target.kind === "page" ? open(target.path) : openLink(target));
});

self.addEventListener("pushsubscriptionchange", (event) => {
  event.waitUntil(renew(event));
});

function messageOf(event: PushEvent): PushMessage {
  // A browser that understands a declarative message passes on the notification and no data.
  const declared = "notification" in event ? event.notification : null;
  if (declared instanceof Notification) return declaredMessage(declared);
  return parsePushMessage(event.data?.text() ?? null, origin);
}

function declaredMessage(declared: Notification): PushMessage {
  const { title, body, tag, data, requireInteraction } = declared;
  const navigate = "navigate" in declared ? String(declared.navigate) : "";
  const notification = { title, body, tag, data, requireInteraction, navigate };
  return parsePushMessage(JSON.stringify({ web_push: 8030, notification }), origin);
}

/** A browser revokes the subscription if a message shows nothing. */
async function showAlways(message: PushMessage): Promise<void> {
  try {
    await show(message);
  } catch {
    await show(genericMessage(origin));
  }
}

function show(message: PushMessage) {
  const { id, title, navigate, tag, link } = message;
  const isLinkOpened = link !== null && opensByClick(link, navigator.userAgent);
  const options = {
    ...message.options,
    tag,
    renotify: false,
    dir: "auto" as const,
    ...(isLinkOpened ? { actions: [DETAILS] } : {}),
    // Safari opens it by itself and refuses a notification without it; other browsers get it from `data`.
    navigate,
    data: { id, navigate, link } satisfies ClickData,
  };
  return self.registration.showNotification(title, options);
}

/** Opens the link and marks the notification as read. If nothing opens outside of the app, the page shows the link. */
async function openLink(target: ClickTarget & { readonly kind: "link" }): Promise<void> {
  const { href, id, path } = target;
  try {
    await self.clients.openWindow(href);
  } catch {
    await open(path);
    return;
  }
  if (id !== "") await markRead(id);
}

/** Without a session or the server, the notification stays unread until it is opened. */
async function markRead(id: string): Promise<void> {
  await post("/api/app/v1/feed/read", { ids: [id] }).catch(() => {});
}

/** An open page changes its view without a reload, which would lose what it shows only once. */
async function open(path: string): Promise<void> {
  const pages = await openPages();
  const page = pages.find(({ focused }) => focused) ?? pages[0];
  if (page === undefined) {
    await self.clients.openWindow(path);
    return;
  }
  page.postMessage({ kind: "open", path } satisfies WorkerMessage);
  await page.focus();
}

async function tell(message: WorkerMessage): Promise<void> {
  for (const page of await openPages()) page.postMessage(message);
}

/** The API reference has the same origin, but is not a page of the console. */
async function openPages(): Promise<readonly WindowClient[]> {
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  return windows.filter(({ url }) => !FOREIGN_PATHS.test(new URL(url).pathname));
}

/** The session's cookie names the account of the device; without a session, the page registers it when it is opened. */
async function renew(event: PushSubscriptionChangeEvent): Promise<void> {
  const subscription = event.newSubscription ?? (await subscribe());
  const device = newDeviceOf(subscription, deviceNameOf(navigator.userAgent));
  await post("/api/app/v1/devices", device);
  await tell({ kind: "renewed" });
}

/** The old subscription may be unknown, and its key too old. */
async function subscribe(): Promise<PushSubscription> {
  const answer: unknown = await (await ask("/api/app/v1/webpush/key", {})).json();
  const isKey = typeof answer === "object" && answer !== null && "publicKey" in answer;
  if (!isKey) throw new Error("The server gave no key to subscribe with.");
  const applicationServerKey = String(answer.publicKey);
  return self.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
}

async function post(path: string, body: object): Promise<void> {
  const headers = { "content-type": "application/json" };
  await ask(path, { method: "POST", headers, body: JSON.stringify(body) });
}

async function ask(path: string, init: RequestInit): Promise<Response> {
  const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  const response = await fetch(path, { ...init, signal });
  if (!response.ok) throw new Error(`The server answered ${response.status}.`);
  return response;
}
