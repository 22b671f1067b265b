import {
  cleanupOutdatedCaches,
  createHandlerBoundToURL,
  precacheAndRoute,
  type PrecacheEntry,
} from "workbox-precaching";
import { NavigationRoute, registerRoute } from "workbox-routing";
import { SERVER_PATHS } from "../paths.ts";
import { actAndReport, findRetry, noteReplaced, type ActDeps } from "./act-report.ts";
import { sendAct, sendRead, toActRequest } from "./acts.ts";
import { addDetails, createButtons, type ButtonSupport } from "./buttons.ts";
import { findClickTarget, canOpenByClick, type ClickData, type ClickTarget } from "./click.ts";
import { closeWithoutDismissal, markDismissedAsRead } from "./dismissals.ts";
import { isTakeOverMessage } from "./message.ts";
import { openLink, openPage, postToPages } from "./pages.ts";
import {
  createGenericMessage,
  DECLARATIVE_VERSION,
  parsePushMessage,
  type PushInteraction,
  type PushMessage,
} from "./push-message.ts";
import { renewSubscription } from "./renew-subscription.ts";
import { postJson } from "./server-requests.ts";
import { readTexts } from "./worker-texts.ts";

declare const self: ServiceWorkerGlobalScope & {
  /** The console's files and their hashes, inserted by the build. */
  readonly __WB_MANIFEST: readonly PrecacheEntry[];
};

const { origin } = self.location;

// The cached files start the console without the server. Its pages then report the data that they cannot load.
cleanupOutdatedCaches();
// oxlint-disable-next-line no-underscore-dangle -- the build replaces this name.
precacheAndRoute([...self.__WB_MANIFEST]);
registerRoute(
  new NavigationRoute(createHandlerBoundToURL("/index.html"), { denylist: [SERVER_PATHS] }),
);

// A new version waits for a message from a page, so that open pages still find the files of the old version.
self.addEventListener("message", ({ data }) => {
  if (isTakeOverMessage(data)) void self.skipWaiting();
});
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("push", (event) => {
  const message = readMessage(event);
  const { id, sound } = message;
  event.waitUntil(
    Promise.all([showMessageOrFallback(message), postToPages({ kind: "arrived", id, sound })]),
  );
});

self.addEventListener("notificationclick", (event) => {
  closeWithoutDismissal(event.notification);
  event.waitUntil(handleClick(event));
});

self.addEventListener("notificationclose", (event) => {
  event.waitUntil(handleDismissal(event.notification));
});

self.addEventListener("pushsubscriptionchange", (event) => {
  event.waitUntil(renewSubscription(event));
});

function readMessage(event: PushEvent): PushMessage {
  // A browser that supports declarative messages passes the notification and no data.
  const declaredNotification = "notification" in event ? event.notification : null;
  if (declaredNotification instanceof Notification)
    return parseDeclaredNotification(declaredNotification);
  return parsePushMessage(event.data?.text() ?? null, origin);
}

function parseDeclaredNotification(declaredNotification: Notification): PushMessage {
  const { title, body, tag, data, requireInteraction, silent } = declaredNotification;
  const navigate = "navigate" in declaredNotification ? String(declaredNotification.navigate) : "";
  const notification = { title, body, tag, data, requireInteraction, silent, navigate };
  return parsePushMessage(JSON.stringify({ web_push: DECLARATIVE_VERSION, notification }), origin);
}

/** Shows a message, or a generic one after an error: a browser revokes the subscription if nothing is shown. */
async function showMessageOrFallback(message: PushMessage): Promise<void> {
  try {
    await showMessage(message);
  } catch {
    await showMessage(createGenericMessage(origin));
  }
}

async function showMessage(message: PushMessage): Promise<void> {
  const { id, title, navigate, tag, link, renotify, interaction } = message;
  const hasDirectLink = link !== null && canOpenByClick(link, navigator.userAgent);
  const support = detectButtonSupport();
  const answerLabel = interaction === null ? "" : (await readTexts()).answer.button;
  const buttons =
    interaction === null ? [] : createButtons(interaction, { ...support, answerLabel });
  // The ways to act come first.
  const actions = hasDirectLink ? addDetails(buttons, support) : buttons;
  const options = {
    ...message.options,
    tag,
    renotify,
    dir: "auto" as const,
    ...(actions.length > 0 ? { actions } : {}),
    // Safari opens this URL without the worker and rejects a notification that lacks it. Other browsers read `data`.
    navigate,
    data: {
      id,
      navigate,
      link,
      ...(interaction === null ? {} : toInteractionData(interaction)),
    } satisfies ClickData,
  };
  // A browser without this option, such as Firefox, replaces a notification silently.
  if (renotify && !("renotify" in Notification.prototype)) await closeShown(tag);
  noteReplaced(tag);
  await self.registration.showNotification(title, options);
}

/** Returns the data that a click needs to act. */
function toInteractionData({ incident, prompt, actions }: PushInteraction): Partial<ClickData> {
  return { incident, prompt, actions };
}

/** Returns the browser's support for buttons. Call it late: Safari in a tab on an iPhone has no `Notification`. */
function detectButtonSupport(): ButtonSupport {
  return {
    // Safari has no buttons, and lacks this property.
    maxButtons: "maxActions" in Notification ? Number(Notification.maxActions) : 0,
    hasTextButtons: "reply" in NotificationEvent.prototype,
  };
}

/** Closes the notifications with a tag, so that the next one counts as new and sounds. */
async function closeShown(tag: string): Promise<void> {
  for (const notification of await self.registration.getNotifications({ tag }))
    closeWithoutDismissal(notification);
}

/** Performs the act of a button, tries a failed act again, or opens the target and marks the notification as read. */
async function handleClick(event: NotificationEvent): Promise<void> {
  const { notification, action } = event;
  const { data } = notification;
  // Only Chromium has buttons that take a text, so TypeScript has no type for `reply`.
  const reply = "reply" in event && typeof event.reply === "string" ? event.reply : null;
  const { userAgent } = navigator;
  const target = findClickTarget({ data, action, reply, origin, userAgent });
  if (target.kind === "act") return act(notification, target);
  const retry = action === "" ? findRetry(data) : null;
  // The window comes first, because a browser opens one only shortly after the click.
  if (retry !== null) {
    const { request, opensPage } = retry;
    await Promise.all([
      opensPage ? openPage(target.path) : null,
      actAndReport(ACT_DEPS, { notification, request }),
    ]);
    return;
  }
  await Promise.all([
    target.kind === "page" ? openPage(target.path) : openLink(target),
    target.id === "" ? null : markRead(target.id),
  ]);
}

/** Performs the act of a button, or opens the page if the button has none. */
async function act(
  notification: Notification,
  target: ClickTarget & { readonly kind: "act" },
): Promise<void> {
  const request = toActRequest(target);
  await (request === null
    ? openPage(target.path)
    : actAndReport(ACT_DEPS, { notification, request }));
}

async function handleDismissal(notification: Notification): Promise<void> {
  const { tag } = notification;
  const others = await self.registration.getNotifications({ tag });
  await markDismissedAsRead(notification, others.length > 0);
}

const ACT_DEPS: ActDeps = {
  send: sendAct,
  show: (title, options) => self.registration.showNotification(title, options),
};

/**
 * Marks a notification as read, with the action key of this device or otherwise with the session. If both fail, it
 * stays unread until it is opened.
 */
async function markRead(id: string): Promise<void> {
  if (await sendRead(id)) return;
  await postJson("/api/app/v1/feed/read", { ids: [id] }).catch(() => {});
}
