import type { ResponseBodies } from "../response-bodies.ts";
import { fetchJson } from "../http.ts";
import type { Notification, WithNotificationId } from "../notification.ts";
import type { Call, CallOptions } from "../request.ts";
import type { Server } from "../server.ts";

/** The idempotency key and the lifetime of a send. */
export interface SendOptions extends CallOptions {
  /**
   * At most 255 characters. A repetition within 24 hours with the same idempotency key and the same content returns the
   * current result of the first send. The client creates an idempotency key if none is given and retries are on.
   */
  readonly idempotencyKey?: string;
  /** 1 to 2,419,200; 86,400 by default. After this time, nothing more is sent to any device. */
  readonly ttlSeconds?: number;
}

type SendOperation = "notify" | "notifyAsync" | "notifyWithKey" | "notifyWebhook" | "notifyGroup";

/**
 * Returns the operations of the notification API. A synchronous send resolves with `success: false` if no device
 * accepted it and none is queued.
 */
export function createSendOperations(server: Server) {
  return {
    /** Sends to all devices of the API key's account or team, and waits up to about 3 seconds for the results. */
    notify: (notification: Notification, options: SendOptions = {}) =>
      send(server, options, {
        operation: "notify",
        method: "POST",
        path: [...API_PATH, "notify"],
        body: notification,
        auth: "key",
      }),

    /** Sends to all devices of the API key's account or team, without waiting for results. */
    notifyAsync: (notification: Notification, options: SendOptions = {}) =>
      send(server, options, {
        operation: "notifyAsync",
        method: "POST",
        path: [...API_PATH, "notify-async"],
        body: notification,
        auth: "key",
      }),

    /** Sends with the given key, in the path, instead of the client's own. */
    notifyWithKey: (key: string, notification: Notification, options: SendOptions = {}) =>
      send(server, options, {
        operation: "notifyWithKey",
        method: "POST",
        path: [...API_PATH, "notify", key],
        body: notification,
        auth: "none",
        secret: key,
      }),

    /** Sends by GET, for programs that can only open a URL. The key is in the path, the notification in the query. */
    notifyWebhook: (key: string, notification: Notification, options: SendOptions = {}) =>
      send(server, options, {
        operation: "notifyWebhook",
        method: "GET",
        path: [...API_PATH, "notify", key],
        query: notification,
        auth: "none",
        secret: key,
      }),

    /** Sends to the devices of one device group; needs an account key. */
    notifyGroup: (groupId: string, notification: Notification, options: SendOptions = {}) =>
      send(server, options, {
        operation: "notifyGroup",
        method: "POST",
        path: [...API_PATH, "notify", "group", groupId],
        body: notification,
        auth: "key",
      }),
  };
}

const API_PATH = ["api", "v1"];

async function send<Operation extends SendOperation>(
  server: Server,
  options: SendOptions,
  call: Call<Operation>,
): Promise<WithNotificationId<ResponseBodies[Operation]>> {
  const requestHeaders = createSendHeaders(
    server.retries === 0 ? options : withIdempotencyKey(options),
  );
  const { headers, body } = await fetchJson(server, {
    ...call,
    headers: requestHeaders,
    signal: options.signal,
  });
  return { ...body, notificationId: headers.get("x-notification-id") };
}

/** Returns the options with a new idempotency key if they have none, so that the server recognizes a repetition. */
export function withIdempotencyKey(options: SendOptions): SendOptions {
  return { ...options, idempotencyKey: options.idempotencyKey ?? newIdempotencyKey() };
}

/** Returns the headers for the lifetime and the idempotency key. */
export function createSendHeaders({
  ttlSeconds,
  idempotencyKey,
}: SendOptions): Record<string, string> {
  const requestHeaders: Record<string, string> = {};
  if (idempotencyKey !== undefined) requestHeaders["idempotency-key"] = idempotencyKey;
  if (ttlSeconds !== undefined) requestHeaders["x-ttl"] = String(ttlSeconds);
  return requestHeaders;
}

/**
 * Returns a new idempotency key. `randomUUID` is available only in secure contexts, which a page over plain `http:` is
 * not.
 */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
