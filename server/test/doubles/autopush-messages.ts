/** A message from Firefox to its push service; `other` needs no reply. */
export type FirefoxMessage =
  | { readonly kind: "ping" }
  | { readonly kind: "hello"; readonly userAgentId: string | null }
  | { readonly kind: "register"; readonly channelId: string; readonly key: string | null }
  | { readonly kind: "unregister"; readonly channelId: string }
  | { readonly kind: "receipts"; readonly receipts: readonly Receipt[] }
  | { readonly kind: "other" };

/** Codes of receipts. If the worker fails, another receipt follows `delivered`. */
export const RECEIPT_CODES = {
  delivered: 100,
  notDecrypted: 101,
  notDelivered: 102,
  workerThrew: 301,
  workerRejected: 302,
  workerFailedOtherwise: 303,
} as const;

/** The outcome of a message in the browser. */
export interface Receipt {
  readonly version: string;
  /** One of `RECEIPT_CODES`. */
  readonly code: number;
}

/** Parses a text frame (autopush WebSocket protocol). Throws if it is not JSON. */
export function readFirefoxMessage(text: string): FirefoxMessage {
  if (text === "{}") return { kind: "ping" };
  const message = toRecord(JSON.parse(text));
  const channelId = toStringOrNull(message["channelID"]) ?? "";
  switch (message["messageType"]) {
    case "hello":
      return { kind: "hello", userAgentId: toStringOrNull(message["uaid"]) };
    case "register":
      return { kind: "register", channelId, key: toStringOrNull(message["key"]) };
    case "unregister":
      return { kind: "unregister", channelId };
    case "ack":
      return { kind: "receipts", receipts: toList(message["updates"]).map(readReceipt) };
    case "nack":
      return { kind: "receipts", receipts: [readReceipt(message)] };
    default:
      return { kind: "other" };
  }
}

function readReceipt(value: unknown): Receipt {
  const { version, code } = toRecord(value);
  return { version: toStringOrNull(version) ?? "", code: typeof code === "number" ? code : 0 };
}

function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function toStringOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
