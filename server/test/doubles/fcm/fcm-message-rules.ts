import { REQUEST } from "./fcm-schema.ts";
import {
  createInvalidJsonError,
  createInvalidMessageError,
  createMalformedTokenError,
  createMessageTooBigError,
  type GoogleError,
} from "./google-errors.ts";
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

/** A request that FCM refuses before it looks up the target. */
export interface Malformed {
  readonly kind: "malformed";
  readonly error: GoogleError;
}

/** Validates the body of `messages:send` as FCM does before it looks up the target. */
export function validateMessage(
  body: string,
  contentType: string | undefined,
): WellFormed | Malformed {
  if (!/^application\/json\b/iu.test(contentType ?? "")) return toMalformed(createNotJsonError());
  const request = readRequest(body);
  if (!("message" in request)) return request;
  const { message, isDryRun } = request;
  const android = toObject(message["android"]);
  const targets = readTargets(message);
  const [target, duplicateTarget] = targets;
  if (duplicateTarget !== undefined)
    return toMalformed(createDuplicateTargetError(duplicateTarget));
  if (target === undefined) return toMalformed(createFieldError("message", NO_RECIPIENT));
  const androidMessage = readAndroid(message, android);
  const error =
    checkTarget(target) ??
    checkKeys("message.data", toObject(message["data"])) ??
    checkKeys("message.android.data", toObject(android["data"])) ??
    checkTtl(androidMessage.ttlSeconds) ??
    checkSize(androidMessage, target);
  return error === null
    ? { kind: "well-formed", target, isDryRun, message: androidMessage }
    : toMalformed(error);
}

const NO_RECIPIENT = "Recipient of the message is not set.";

/** Parses the request as Google's front end does: only known fields of the right types, with camel-case names. */
function readRequest(
  body: string,
): Malformed | { readonly message: Readonly<Record<string, unknown>>; readonly isDryRun: boolean } {
  const parsed = parseJson(body);
  if (!isObject(parsed)) {
    return toMalformed(createNotJsonError());
  }
  const violations = checkJson(parsed, REQUEST, "");
  if (violations.length > 0) return toMalformed(createInvalidJsonError(violations));
  const request = toObject(toCamelCase(parsed, REQUEST));
  const { message, validateOnly } = request;
  return { message: toObject(message), isDryRun: validateOnly === true };
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
    ...toObject(message["notification"]),
    ...toObject(android["notification"]),
  };
  return {
    // The data of `android` replaces the common data completely; they are not merged.
    data: toStrings(android["data"] ?? message["data"]),
    priority: priority === 1 || String(priority).toUpperCase() === "HIGH" ? "HIGH" : "NORMAL",
    // Rounded down to seconds (FCM reference).
    ttlSeconds: typeof ttl === "string" ? Math.floor(Number(ttl.slice(0, -1))) : TTL_MAX_SECONDS,
    collapseKey: typeof collapseKey === "string" ? collapseKey : null,
    notification: Object.keys(notification).length > 0 ? notification : null,
  };
}

/** A Firebase installation id: 17 bytes that begin with 0111, in base64url without the last character. */
const FID_PATTERN = /^[c-f][\w-]{21}$/u;
/** The installation id (11 characters before 2020) and Google's signature. */
const TOKEN_PATTERN = /^[\w-]{11,22}:APA91[\w-]{120,}$/u;
const TOPIC_PATTERN = /^[\w.~%-]{1,900}$/u;

function checkTarget({ kind, value }: Target): GoogleError | null {
  switch (kind) {
    case "token":
      return TOKEN_PATTERN.test(value) ? null : createMalformedTokenError();
    case "fid":
      // Google does not document this error. We assume it equals the one for tokens.
      return FID_PATTERN.test(value) ? null : createMalformedTokenError();
    case "topic":
      return TOPIC_PATTERN.test(value)
        ? null
        : createFieldError("message.topic", "Invalid topic name.");
    case "condition":
      return null;
  }
}

/** The keys that Google reserves in the reference of `Message` or on the page of error codes. */
const RESERVED_KEY = /^(?:from$|message_type$|gcm$|gcm\.|google)/u;

function checkKeys(field: string, data: Readonly<Record<string, unknown>>): GoogleError | null {
  const reserved = Object.keys(data).find((key) => RESERVED_KEY.test(key));
  return reserved === undefined
    ? null
    : createFieldError(field, `Invalid data payload key: ${reserved}`);
}

function checkTtl(ttlSeconds: number): GoogleError | null {
  if (ttlSeconds >= 0 && ttlSeconds <= TTL_MAX_SECONDS) return null;
  return createFieldError(
    "message.android.ttl",
    `Invalid TTL: not within 0 and ${TTL_MAX_SECONDS}s.`,
  );
}

/** Largest message to devices, in bytes of keys and values. */
const MESSAGE_MAX_BYTES = 4_096;
const TOPIC_MESSAGE_MAX_BYTES = 2_048;

function checkSize({ data, notification }: AndroidMessage, { kind }: Target): GoogleError | null {
  const isToDevice = kind === "token" || kind === "fid";
  const limit = isToDevice ? MESSAGE_MAX_BYTES : TOPIC_MESSAGE_MAX_BYTES;
  return countBytes(data) + countBytes(notification ?? {}) > limit
    ? createMessageTooBigError()
    : null;
}

function countBytes(entries: Readonly<Record<string, unknown>>): number {
  const parts = Object.entries(entries).flatMap(([key, value]) => [key, String(value)]);
  return parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
}

function createNotJsonError(): GoogleError {
  const description = "Invalid JSON payload received. Unexpected token.";
  return createInvalidJsonError([{ field: "", description }]);
}

/** Returns the error for a second target. The front end rejects it, so the response has no FCM error detail. */
function createDuplicateTargetError({ kind }: Target): GoogleError {
  const description = `Invalid value at 'message' (oneof), oneof field 'target' is already set. Cannot set '${kind}'`;
  return createInvalidJsonError([{ field: "message", description }]);
}

function createFieldError(field: string, description: string): GoogleError {
  return createInvalidMessageError({ field, description });
}

function toMalformed(error: GoogleError): Malformed {
  return { kind: "malformed", error };
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

function toObject(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

function toStrings(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(toObject(value)).map(([key, entry]) => [key, String(entry)]),
  );
}
