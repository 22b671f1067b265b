import type { DeliveriesQuery } from "../delivery.ts";
import type { FeedQuery, ReadMark, UnreadMark } from "../feed.ts";
import type { NotificationsQuery, PersonalNotification } from "../notification.ts";
import type { PageQuery } from "../page.ts";
import type { CallOptions } from "../request.ts";
import type { AppApi } from "./app-api.ts";
import { sendHeaders, withKey, type SendOptions } from "./send.ts";

/** Returns the operations on the notifications that reached me. */
export function feedOperations(app: AppApi) {
  return {
    /** Returns the newest first; a page of a search may contain few or no items, and still have a next page. */
    list: (query: FeedQuery = {}, options: CallOptions = {}) =>
      app.get({ ...options, operation: "feed.list", path: ["feed"], query }),

    get: (id: string, options: CallOptions = {}) =>
      app.get({ ...options, operation: "feed.get", path: ["feed", id] }),

    /** Returns the results of a notification on my own devices. */
    deliveries: (id: string, query: PageQuery = {}, options: CallOptions = {}) =>
      app.get({
        ...options,
        operation: "feed.deliveries",
        path: ["feed", id, "deliveries"],
        query,
      }),

    markRead: (mark: ReadMark, options: CallOptions = {}) =>
      app.tell({ ...options, operation: "feed.markRead", path: ["feed", "read"], body: mark }),

    markUnread: (mark: UnreadMark, options: CallOptions = {}) =>
      app.tell({ ...options, operation: "feed.markUnread", path: ["feed", "unread"], body: mark }),

    /** Removes a notification from my feed, and from nobody else's. */
    remove: (id: string, options: CallOptions = {}) =>
      app.remove({ ...options, operation: "feed.remove", path: ["feed", id] }),

    /** Restores a removed notification, as read. */
    restore: (id: string, options: CallOptions = {}) =>
      app.tell({ ...options, operation: "feed.restore", path: ["feed", id, "restore"] }),
  };
}

/** Returns the operations on the channels of one's own feed. */
export function channelOperations(app: AppApi) {
  return {
    list: (options: CallOptions = {}) =>
      app.get({ ...options, operation: "channels.list", path: ["channels"] }),
  };
}

/** Returns the operations on the notifications that one sent, by hand or by one's own keys. */
export function notificationOperations(app: AppApi) {
  return {
    /** Sends without a key, as the signed-in person; see the results with `get` and in the live stream. */
    send: (notification: PersonalNotification, options: SendOptions = {}) =>
      app.post({
        signal: options.signal,
        operation: "notifications.send",
        path: ["notifications"],
        body: notification,
        headers: sendHeaders(withKey(options)),
      }),

    /**
     * Returns the newest first. A search scans a limited number at once: a page may contain fewer items than match, or
     * none, and `nextCursor` continues.
     */
    list: (query: NotificationsQuery = {}, options: CallOptions = {}) =>
      app.get({ ...options, operation: "notifications.list", path: ["notifications"], query }),

    get: (id: string, options: CallOptions = {}) =>
      app.get({ ...options, operation: "notifications.get", path: ["notifications", id] }),

    /** Returns the results of one notification on every device, page by page. */
    deliveries: (id: string, query: DeliveriesQuery = {}, options: CallOptions = {}) =>
      app.get({
        ...options,
        operation: "notifications.deliveries",
        path: ["notifications", id, "deliveries"],
        query,
      }),
  };
}
