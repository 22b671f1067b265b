import type { FeedQuery, ReadMark } from "../feed.ts";
import type { PageQuery } from "../page.ts";
import type { CallOptions } from "../request.ts";
import type { AppApi } from "./app-api.ts";

/** Returns the operations on the notifications that reached me. */
export function feedOperations(app: AppApi) {
  return {
    /** Returns the newest first. */
    list: (query: FeedQuery = {}, options: CallOptions = {}) =>
      app.get({ ...options, operation: "feed.list", path: ["feed"], query }),

    markRead: (mark: ReadMark, options: CallOptions = {}) =>
      app.tell({ ...options, operation: "feed.markRead", path: ["feed", "read"], body: mark }),
  };
}

/** Returns the operations on the channels of one's own feed. */
export function channelOperations(app: AppApi) {
  return {
    list: (options: CallOptions = {}) =>
      app.get({ ...options, operation: "channels.list", path: ["channels"] }),
  };
}

/** Returns the operations on the notifications that one's own keys sent. */
export function notificationOperations(app: AppApi) {
  return {
    list: (query: PageQuery = {}, options: CallOptions = {}) =>
      app.get({ ...options, operation: "notifications.list", path: ["notifications"], query }),

    get: (id: string, options: CallOptions = {}) =>
      app.get({ ...options, operation: "notifications.get", path: ["notifications", id] }),
  };
}
