import { REQUEST } from "./fcm-schema.ts";
import { invalidJson, invalidMessage, malformedToken, messageTooBig } from "./google-errors.ts";
import type { GoogleError } from "./google-errors.ts";
import { checkJson, isObject, toCamelCase } from "./json-rules.ts";

/** The target of a message: one device, or the subscribers of a topic. */
export interface Target {
  readonly kind: "token" | "fid" | "topic" | "condition";
  readonly value: string;
}

/** The part of a message that an Android app receives. */
export interface AndroidMessage {
  readonly data: Readonly<Record<string, string>>;
  readonly priority: "HIGH" | "NORMAL";
  readonly ttlSeconds: number;
  readonly collapseKey: string | null;
  /** The part that the system displays itself, with camel-case names; null for a data message. */
  readonly notification: Readonly<Record<string, unknown>> | null;
}

/** A request that FCM would accept if its target is registered. */
export interface WellFormed {
  readonly kind: "well-formed";
  readonly target: Target;
  /** True for a dry run (`validate_only`). */
  readonly isDryRun: boolean;
  readonly message: AndroidMessage;
}

export interface Malformed {
  readonly kind: "malformed";
  readonly error: GoogleError;
}

/** Validates the body of `messages:send` as FCM does before it looks up the target. */
export function judgeMessage(
  body: string,
  contentType: string | undefined,
): WellFormed | Malformed {
  if (!/^application\/json\b/iu.test(contentType ?? "")) return malformed(notJson());
  const request = readRequest(body);
  if (!("message" in request)) return request;
  const { message, isDryRun } = request;
  const android = asObject(message["android"]);
  const targets = readTargets(message);
  const [target, second] = targets;
  if (second !== undefined) return malformed(duplicateTarget(second));
  if (target === undefined) return malformed(violation("message", NO_RECIPIENT));
  const androidMessage = readAndroid(message, android);
  const error =
    checkTarget(target) ??
    checkKeys("message.data", asObject(message["data"])) ??
    checkKeys("message.android.data", asObject(android["data"])) ??
    checkTtl(androidMessage.ttlSeconds) ??
    checkSize(androidMessage, target);
  return error === null
    ? { kind: "well-formed", target, isDryRun, message: androidMessage }
    : malformed(error);
}

const NO_RECIPIENT = "Recipient of the message is not set.";

/** Parses the request as Google's front end does: only known fields of the right types, with camel-case names. */
function readRequest(
  body: string,
): Malformed | { readonly message: Readonly<Record<string, unknown>>; readonly isDryRun: boolean } {
  const parsed = parseJson(body);
  if (!isObject(parsed)) {
    return malformed(notJson());
  }
  const violations = checkJson(parsed, REQUEST, "");
  if (violations.length > 0) return malformed(invalidJson(violations));
  const request = asObject(toCamelCase(parsed, REQUEST));
  const { message, validateOnly } = request;
  return { message: asObject(message), isDryRun: validateOnly === true };
}

const TARGET_KINDS = ["fid", "token", "topic", "condition"] as const;

function readTargets(message: Readonly<Record<string, unknown>>): readonly Target[] {
  return TARGET_KINDS.flatMap((kind) => {
    const value = message[kind];
    return typeof value === "string" && value !== "" ? [{ kind, value }] : [];
  });
}

/** Four weeks: the default and the maximum. */
const TTL_MAX_SECONDS = 2_419_200;

function readAndroid(
  message: Readonly<Record<string, unknown>>,
  android: Readonly<Record<string, unknown>>,
): AndroidMessage {
  const { ttl, priority, collapseKey } = android;
  const notification = {
    ...asObject(message["notification"]),
    ...asObject(android["notification"]),
  };
  return {
    // The narrower data replaces the broader completely; they are not merged.
    data: asStrings(android["data"] ?? message["data"]),
    priority: priority === 1 || String(priority).toUpperCase() === "HIGH" ? "HIGH" : "NORMAL",
    // Rounded down to seconds (FCM reference).
    ttlSeconds: typeof ttl === "string" ? Math.floor(Number(ttl.slice(0, -1))) : TTL_MAX_SECONDS,
    collapseKey: typeof collapseKey === "string" ? collapseKey : null,
    notification: Object.keys(notification).length > 0 ? notification : null,
  };
}

/** A Firebase installation id: 17 bytes that begin with 0111, in base64url without the last character. */
const FID = /^[c-f][\w-]{21}$/u;
/** The installation id (11 characters before 2020) and Google's signature. */
const TOKEN = /^[\w-]{11,22}:APA91[\w-]{120,}$/u;
const TOPIC = /^[\w.~%-]{1,900}$/u;

function checkTarget({ kind, value }: Target): GoogleError | null {
  switch (kind) {
    case "token":
      return TOKEN.test(value) ? null : malformedToken();
    case "fid":
      // Google does not document this error. We assume it equals the one for tokens.
      return FID.test(value) ? null : malformedToken();
    case "topic":
      return TOPIC.test(value) ? null : violation("message.topic", "Invalid topic name.");
    case "condition":
      return null;
  }
}

/** The union of two Google pages: the reference of `Message` and the page of error codes. */
const RESERVED_KEY = /^(?:from$|message_type$|gcm$|gcm\.|google)/u;

function checkKeys(field: string, data: Readonly<Record<string, unknown>>): GoogleError | null {
  const reserved = Object.keys(data).find((key) => RESERVED_KEY.test(key));
  return reserved === undefined ? null : violation(field, `Invalid data payload key: ${reserved}`);
}

function checkTtl(ttlSeconds: number): GoogleError | null {
  if (ttlSeconds >= 0 && ttlSeconds <= TTL_MAX_SECONDS) return null;
  return violation("message.android.ttl", `Invalid TTL: not within 0 and ${TTL_MAX_SECONDS}s.`);
}

/** Largest message to devices, in bytes of keys and values. */
const MESSAGE_MAX_BYTES = 4_096;
const TOPIC_MESSAGE_MAX_BYTES = 2_048;

function checkSize({ data, notification }: AndroidMessage, { kind }: Target): GoogleError | null {
  const isToDevice = kind === "token" || kind === "fid";
  const limit = isToDevice ? MESSAGE_MAX_BYTES : TOPIC_MESSAGE_MAX_BYTES;
  return sizeOf(data) + sizeOf(notification ?? {}) > limit ? messageTooBig() : null;
}

function sizeOf(entries: Readonly<Record<string, unknown>>): number {
  const parts = Object.entries(entries).flatMap(([key, value]) => [key, String(value)]);
  return parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
}

function notJson(): GoogleError {
  const description = "Invalid JSON payload received. Unexpected token.";
  return invalidJson([{ field: "", description }]);
}

/** The front end rejects it, so the response has no FCM error detail. */
function duplicateTarget({ kind }: Target): GoogleError {
  const description = `Invalid value at 'message' (oneof), oneof field 'target' is already set. Cannot set '${kind}'`;
  return invalidJson([{ field: "message", description }]);
}

function violation(field: string, description: string): GoogleError {
  return invalidMessage({ field, description });
}

function malformed(error: GoogleError): Malformed {
  return { kind: "malformed", error };
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

function asStrings(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(asObject(value)).map(([k, v]) => [k, String(v)]));
}
