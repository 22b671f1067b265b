/** A message from Firefox to its push service; `other` needs no reply. */
export type FirefoxMessage =
  | { readonly kind: "ping" }
  | { readonly kind: "hello"; readonly userAgentId: string | null }
  | { readonly kind: "register"; readonly channelId: string; readonly key: string | null }
  | { readonly kind: "unregister"; readonly channelId: string }
  | { readonly kind: "receipts"; readonly receipts: readonly Receipt[] }
  | { readonly kind: "other" };

/**
 * A message's fate in the browser: 100 taken, 101 not decrypted, 102 not delivered. A worker that fails has
 * taken it first, so one of these follows 100: 301 it threw, 302 its promise was rejected, 303 another fault.
 */
export interface Receipt {
  readonly version: string;
  readonly code: number;
}

/** Reads one text frame (autopush WebSocket protocol); throws where it is not JSON. */
export function readFirefoxMessage(text: string): FirefoxMessage {
  if (text === "{}") return { kind: "ping" };
  const message = asRecord(JSON.parse(text));
  const channelId = asText(message["channelID"]) ?? "";
  switch (message["messageType"]) {
    case "hello":
      return { kind: "hello", userAgentId: asText(message["uaid"]) };
    case "register":
      return { kind: "register", channelId, key: asText(message["key"]) };
    case "unregister":
      return { kind: "unregister", channelId };
    case "ack":
      return { kind: "receipts", receipts: asList(message["updates"]).map(readReceipt) };
    case "nack":
      return { kind: "receipts", receipts: [readReceipt(message)] };
    default:
      return { kind: "other" };
  }
}

function readReceipt(value: unknown): Receipt {
  const { version, code } = asRecord(value);
  return { version: asText(version) ?? "", code: typeof code === "number" ? code : 0 };
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function asText(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
