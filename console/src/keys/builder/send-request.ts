import { filledFields, type Wording } from "../../notifications/content/wording.ts";

/** The notification that a snippet sends. Empty fields are omitted. */
export interface SendRequest extends Wording {
  /** The server's URL, such as `https://tocsin.example.org`. */
  readonly origin: string;
  /** The API key, or a placeholder. */
  readonly key: string;
  /** The id of a device group; empty for all devices that the key reaches. */
  readonly groupId: string;
  /** Whether the sender waits for the outcome on each device. */
  readonly isAwaited: boolean;
  /** Time to live in seconds; omitted for the server's default. */
  readonly ttlSeconds?: number;
}

/** Placeholder for a missing key. It needs no escaping in a URL. */
export const KEY_PLACEHOLDER = "YOUR_API_KEY";

/** A field of a request's body with its value. */
export type BodyField = ReturnType<typeof bodyFields>[number];

/** Returns the non-empty fields of the body, in the order of the documentation. */
export function bodyFields(request: SendRequest) {
  return filledFields(request);
}

/** Returns the body as JSON on several lines, indented by `indent` spaces. */
export function formatJsonBody(request: SendRequest, indent = 2): string {
  return JSON.stringify(Object.fromEntries(bodyFields(request)), null, indent);
}

/** Returns the URL for a POST with the key in a header. */
export function endpoint({ origin, groupId, isAwaited }: SendRequest): string {
  const base = `${origin}/api/v1/notify`;
  if (groupId !== "") return `${base}/group/${encodeURIComponent(groupId)}`;
  return isAwaited ? base : `${base}-async`;
}

/** Returns the webhook URL without fields. It contains the key, so anyone with the URL can send. */
export function webhookBaseUrl({ origin, key }: SendRequest): string {
  return `${origin}/api/v1/notify/${encodeURIComponent(key)}`;
}

/** Returns the webhook URL with all fields. Opening it sends the notification. */
export function webhookUrl(request: SendRequest): string {
  const fields = bodyFields(request).map(([name, value]) => [name, String(value)]);
  return `${webhookBaseUrl(request)}?${new URLSearchParams(Object.fromEntries(fields)).toString()}`;
}
