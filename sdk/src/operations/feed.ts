import type { DeliveriesQuery } from "../delivery.ts";
import type { FeedQuery, ReadMark, UnreadMark } from "../feed.ts";
import type { NotificationsQuery, PersonalNotification } from "../notification.ts";
import type { PageQuery } from "../page.ts";
import type { CallOptions } from "../request.ts";
import type { AppApi } from "./app-api.ts";
import { createSendHeaders, withIdempotencyKey, type SendOptions } from "./send.ts";

/** Returns the operations on the notifications in the account's feed. */
export function createFeedOperations(app: AppApi) {
  return {
    /** Returns the feed, newest first. A page of a search may contain few or no items and still have a next page. */
    list: (query: FeedQuery = {}, options: CallOptions = {}) =>
      app.get({ ...options, operation: "feed.list", path: ["feed"], query }),

    /** Returns a notification in the feed. */
    get: (id: string, options: CallOptions = {}) =>
      app.get({ ...options, operation: "feed.get", path: ["feed", id] }),

    /** Returns the results of a notification on the account's devices. */
    deliveries: (id: string, query: PageQuery = {}, options: CallOptions = {}) =>
      app.get({
        ...options,
        operation: "feed.deliveries",
        path: ["feed", id, "deliveries"],
        query,
      }),

    /** Marks notifications as read. */
    markRead: (mark: ReadMark, options: CallOptions = {}) =>
      app.postWithoutResponse({
        ...options,
        operation: "feed.markRead",
        path: ["feed", "read"],
        body: mark,
      }),

    /** Marks notifications as unread again. */
    markUnread: (mark: UnreadMark, options: CallOptions = {}) =>
      app.postWithoutResponse({
        ...options,
        operation: "feed.markUnread",
        path: ["feed", "unread"],
        body: mark,
      }),

    /** Removes a notification from the account's feed only. */
    remove: (id: string, options: CallOptions = {}) =>
      app.delete({ ...options, operation: "feed.remove", path: ["feed", id] }),

    /** Restores a removed notification and marks it as read. */
    restore: (id: string, options: CallOptions = {}) =>
      app.postWithoutResponse({
        ...options,
        operation: "feed.restore",
        path: ["feed", id, "restore"],
      }),
  };
}

/** Returns the operations on the channels of the account's feed. */
export function createChannelOperations(app: AppApi) {
  return {
    /** Returns all channels of the feed. */
    list: (options: CallOptions = {}) =>
      app.get({ ...options, operation: "channels.list", path: ["channels"] }),
  };
}

/** Returns the operations on the notifications that the account sent, directly or with its API keys. */
export function createNotificationOperations(app: AppApi) {
  return {
    /** Sends without an API key, as the signed-in account; `get` and the live stream show the results. */
    send: (notification: PersonalNotification, options: SendOptions = {}) =>
      app.post({
        signal: options.signal,
        operation: "notifications.send",
        path: ["notifications"],
        body: notification,
        headers: createSendHeaders(withIdempotencyKey(options)),
      }),

    /**
     * Returns the sent notifications, newest first. A search scans a limited number per request: a page may contain few
     * or no matches, and `nextCursor` continues the search.
     */
    list: (query: NotificationsQuery = {}, options: CallOptions = {}) =>
      app.get({ ...options, operation: "notifications.list", path: ["notifications"], query }),

    /** Returns a sent notification with its attempts. */
    get: (id: string, options: CallOptions = {}) =>
      app.get({ ...options, operation: "notifications.get", path: ["notifications", id] }),

    /** Returns the results of a sent notification on every device, in pages. */
    deliveries: (id: string, query: DeliveriesQuery = {}, options: CallOptions = {}) =>
      app.get({
        ...options,
        operation: "notifications.deliveries",
        path: ["notifications", id, "deliveries"],
        query,
      }),
  };
}
