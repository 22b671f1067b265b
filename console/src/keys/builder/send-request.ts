import type { InteractionRequest } from "@tocsin/sdk";
import { getFilledFields, type FormContent } from "../../notifications/content/form-content.ts";

/** The notification that a snippet sends. Empty fields except title and body are omitted. */
export interface SendRequest extends FormContent {
  /** The server's URL, such as `https://tocsin.example.org`. */
  readonly origin: string;
  /** The API key, or a placeholder. */
  readonly key: string;
  /** The id of a device group; empty for all devices that the key reaches. */
  readonly groupId: string;
  /** Whether the sender waits for the outcome on each device. */
  readonly waitsForResults: boolean;
  /** The lifetime in seconds; omitted for the server's default. */
  readonly ttlSeconds?: number;
  /** The fields of a prompt; omitted for none. Only snippets with a JSON body contain them. */
  readonly prompt?: Partial<InteractionRequest>;
}

/** Placeholder for a missing key. It needs no escaping in a URL. */
export const KEY_PLACEHOLDER = "YOUR_API_KEY";

/** A field of a request's body with its value. */
export type BodyField = ReturnType<typeof getBodyFields>[number];

/** Returns title, body and all other non-empty fields of the request's body, in the order of the documentation. */
export function getBodyFields(request: SendRequest) {
  return getFilledFields(request);
}

/** Returns the body as JSON on several lines, indented by `indent` spaces. */
export function formatJsonBody(request: SendRequest, indent = 2): string {
  const fields = { ...Object.fromEntries(getBodyFields(request)), ...request.prompt };
  return JSON.stringify(fields, null, indent);
}

/** Returns the URL for a POST with the key in a header. */
export function getEndpoint({ origin, groupId, waitsForResults }: SendRequest): string {
  const base = `${origin}/api/v1/notify`;
  if (groupId !== "") return `${base}/group/${encodeURIComponent(groupId)}`;
  return waitsForResults ? base : `${base}-async`;
}

/** Returns the webhook URL without fields. It contains the key, so anyone with the URL can send. */
export function getWebhookBaseUrl({ origin, key }: SendRequest): string {
  return `${origin}/api/v1/notify/${encodeURIComponent(key)}`;
}

/** Returns the webhook URL with all fields. Opening it sends the notification. */
export function getWebhookUrl(request: SendRequest): string {
  const fields = getBodyFields(request).map(([name, value]) => [name, String(value)]);
  return `${getWebhookBaseUrl(request)}?${new URLSearchParams(Object.fromEntries(fields)).toString()}`;
}
