import { givenIn, type Wording } from "../../notifications/content/wording.ts";

/** Notification that a snippet sends, as a person wrote it; an empty field is left out. */
export interface SendRequest extends Wording {
  /** The server's address, such as `https://tocsin.example.org`. */
  readonly origin: string;
  /** The API key, or a placeholder. */
  readonly key: string;
  /** The id of a device group; empty for every device that the key reaches. */
  readonly groupId: string;
  /** Whether the sender waits for the outcome on each device. */
  readonly isAwaited: boolean;
  /** Time to live in seconds; left out for the server's default. */
  readonly ttlSeconds?: number;
}

/** Placeholder for a key that is not at hand; it stays readable in an address. */
export const KEY_PLACEHOLDER = "YOUR_API_KEY";

/** A field of a request's body with its value. */
export type BodyField = ReturnType<typeof bodyFields>[number];

/** Returns the fields of the body that are given, in the order of the documentation. */
export function bodyFields(request: SendRequest) {
  return givenIn(request);
}

/** Returns the body as JSON on several lines, indented by `indent` spaces. */
export function jsonBody(request: SendRequest, indent = 2): string {
  return JSON.stringify(Object.fromEntries(bodyFields(request)), null, indent);
}

/** Returns the address for a POST with the key in a header. */
export function endpoint({ origin, groupId, isAwaited }: SendRequest): string {
  const base = `${origin}/api/v1/notify`;
  if (groupId !== "") return `${base}/group/${encodeURIComponent(groupId)}`;
  return isAwaited ? base : `${base}-async`;
}

/** Returns the address for a POST without headers; everyone who has the address can send. */
export function webhookAddress({ origin, key }: SendRequest): string {
  return `${origin}/api/v1/notify/${encodeURIComponent(key)}`;
}

/** Returns the address that sends the request when it is opened. */
export function webhookUrl(request: SendRequest): string {
  const fields = bodyFields(request).map(([name, value]) => [name, String(value)]);
  return `${webhookAddress(request)}?${new URLSearchParams(Object.fromEntries(fields)).toString()}`;
}
