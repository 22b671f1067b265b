/** A message from Firefox to its push service; `other` needs no reply. */
export type FirefoxMessage =
  | { readonly kind: "ping" }
  | { readonly kind: "hello"; readonly userAgentId: string | null }
  | { readonly kind: "register"; readonly channelId: string; readonly key: string | null }
  | { readonly kind: "unregister"; readonly channelId: string }
  | { readonly kind: "receipts"; readonly receipts: readonly Receipt[] }
  | { readonly kind: "other" };

/**
 * The outcome of a message in the browser: 100 delivered, 101 not decrypted, 102 not delivered. If the worker fails
 * afterwards, 100 is followed by 301 (it threw), 302 (its promise was rejected) or 303 (another error).
 */
export interface Receipt {
  readonly version: string;
  readonly code: number;
}

/** Parses a text frame (autopush WebSocket protocol). Throws if it is not JSON. */
export function readFirefoxMessage(text: string): FirefoxMessage {
  if (text === "{}") return { kind: "ping" };
  const message = asRecord(JSON.parse(text));
  const channelId = asString(message["channelID"]) ?? "";
  switch (message["messageType"]) {
    case "hello":
      return { kind: "hello", userAgentId: asString(message["uaid"]) };
    case "register":
      return { kind: "register", channelId, key: asString(message["key"]) };
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
  return { version: asString(version) ?? "", code: typeof code === "number" ? code : 0 };
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function asString(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
