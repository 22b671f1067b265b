import type { IncomingHttpHeaders } from "node:http2";
import { checkPayload, readPayload } from "./apns-payload-rules.ts";
import { createApnsRefusal, type ApnsRefusal } from "./apns-refusal.ts";
import type { ProviderToken } from "./apns-token-rules.ts";
import type { ProviderKey } from "./provider-key.ts";

/** A received request. */
export interface ApnsRequest {
  readonly headers: IncomingHttpHeaders;
  /** The names of all header fields, with duplicates. */
  readonly fieldNames: readonly string[];
  readonly body: Buffer;
}

/** The service's data that the rules need. */
export interface ApnsRuleContext {
  /** The topics of the team. */
  readonly topics: readonly string[];
  /** Checks the credentials, including the state of the connection. */
  readonly checkCredentials: (authorization: string | undefined) => ProviderToken | ApnsRefusal;
  /** Finds the app of a lower-case device token. */
  readonly findApp: (token: string) => InstalledApp | null;
}

/** The data of an installed app that a push needs. */
export interface InstalledApp {
  readonly topic: string;
  /** Time of the removal, in milliseconds since the epoch; null while the app is installed. */
  readonly goneAtMs: number | null;
}

/** A well-formed request to Apple. */
export interface ApnsAccepted {
  readonly kind: "accepted";
  /** Lower case. */
  readonly deviceToken: string;
  readonly topic: string;
  readonly pushType: string;
  readonly priority: number;
  /** Seconds since the epoch; 0 means deliver immediately or never, null means Apple's default. */
  readonly expiresAtS: number | null;
  readonly collapseId: string | null;
  /** The whole body. */
  readonly payload: Readonly<Record<string, unknown>>;
}

/** The result of the validation of a push. */
export type ApnsVerdict = ApnsAccepted | ApnsRefusal;

/** Validates a push as Apple does (Apple, "Sending notification requests to APNs", 2025). */
export function validatePush(request: ApnsRequest, context: ApnsRuleContext): ApnsVerdict {
  const { headers } = request;
  const routeRefusal = checkMethod(headers[":method"]) ?? checkPath(headers[":path"] ?? "");
  if (routeRefusal !== null) return routeRefusal;
  const credentials =
    checkDuplicates(request.fieldNames) ?? context.checkCredentials(headers.authorization);
  if (credentials.kind === "refused") return credentials;
  const pushType = readHeader(headers, "apns-push-type") ?? "";
  return (
    checkMessageId(readHeader(headers, "apns-id")) ??
    checkTopic(readHeader(headers, "apns-topic"), credentials.key, context) ??
    checkPushType(pushType) ??
    checkPriority(readHeader(headers, "apns-priority"), pushType) ??
    checkExpiration(readHeader(headers, "apns-expiration")) ??
    checkCollapseId(readHeader(headers, "apns-collapse-id")) ??
    checkDevice(request, context) ??
    checkPayload(request.body, pushType) ??
    toAccepted(request)
  );
}

/** Returns the lower-case device token in a path; null if it is not a device path. */
export function readDeviceToken(path: string): string | null {
  return DEVICE_PATH.exec(path)?.groups?.["token"]?.toLowerCase() ?? null;
}

/** Returns whether an id is a valid message id: 8-4-4-4-12 hexadecimal digits. */
export function isMessageId(id: string): boolean {
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu.test(id);
}

const DEVICE_PATH = /^\/3\/device\/(?<token>[^/?#]*)$/u;

/** Returns the value of a header field. Duplicates were refused before. */
export function readHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "object" ? value.join(",") : value;
}

function toAccepted({ headers, body }: ApnsRequest): ApnsAccepted {
  const expiration = readHeader(headers, "apns-expiration");
  return {
    kind: "accepted",
    deviceToken: readDeviceToken(headers[":path"] ?? "") ?? "",
    topic: readHeader(headers, "apns-topic") ?? "",
    pushType: readHeader(headers, "apns-push-type") ?? "",
    priority: Number(readHeader(headers, "apns-priority") ?? IMMEDIATE_PRIORITY),
    expiresAtS: expiration === undefined ? null : Number(expiration),
    collapseId: readHeader(headers, "apns-collapse-id") ?? null,
    payload: readPayload(body) ?? {},
  };
}

function checkMethod(method: string | undefined): ApnsRefusal | null {
  return method === "POST"
    ? null
    : createApnsRefusal(405, "MethodNotAllowed", "Only POST is allowed.");
}

function checkPath(path: string): ApnsRefusal | null {
  const token = readDeviceToken(path);
  if (token === null)
    return createApnsRefusal(404, "BadPath", "The path is not /3/device/<token>.");
  return token === ""
    ? createApnsRefusal(400, "MissingDeviceToken", "The path has no device token.")
    : null;
}

function checkDuplicates(names: readonly string[]): ApnsRefusal | null {
  const name = names.find((candidate, index) => names.indexOf(candidate) !== index);
  if (name === undefined) return null;
  return createApnsRefusal(400, "DuplicateHeaders", `${name} was sent more than once.`);
}

function checkMessageId(id: string | undefined): ApnsRefusal | null {
  if (id === undefined || isMessageId(id)) return null;
  return createApnsRefusal(400, "BadMessageId", "apns-id is not a UUID.");
}

function checkTopic(
  topic: string | undefined,
  key: ProviderKey,
  { topics }: ApnsRuleContext,
): ApnsRefusal | null {
  if (topic === undefined || topic === "") {
    return createApnsRefusal(400, "MissingTopic", "apns-topic is missing.");
  }
  if (!topics.includes(topic))
    return createApnsRefusal(400, "BadTopic", "apns-topic is not an app of the team.");
  if (key.topics?.includes(topic) ?? true) return null;
  return createApnsRefusal(400, "TopicDisallowed", "The key is limited to other topics.");
}

const PUSH_TYPES = new Set([
  "alert",
  "background",
  "complication",
  "controls",
  "fileprovider",
  "liveactivity",
  "location",
  "mdm",
  "pushtotalk",
  "voip",
  "widgets",
]);

function checkPushType(pushType: string): ApnsRefusal | null {
  if (PUSH_TYPES.has(pushType)) return null;
  return createApnsRefusal(400, "InvalidPushType", "apns-push-type is missing or unknown.");
}

const IMMEDIATE_PRIORITY = "10";
const POWER_AWARE_PRIORITY = "5";

function checkPriority(priority = IMMEDIATE_PRIORITY, pushType: string): ApnsRefusal | null {
  if (!/^(?:10|5|1)$/u.test(priority)) {
    return createApnsRefusal(400, "BadPriority", "apns-priority is not 10, 5 or 1.");
  }
  if (pushType !== "background" || priority === POWER_AWARE_PRIORITY) return null;
  return createApnsRefusal(400, "BadPriority", "A background push needs apns-priority 5.");
}

/** Seconds have ten digits; milliseconds, a common mistake, have more. */
function checkExpiration(expiration = "0"): ApnsRefusal | null {
  if (/^\d{1,10}$/u.test(expiration)) return null;
  return createApnsRefusal(
    400,
    "BadExpirationDate",
    "apns-expiration is not a timestamp in seconds.",
  );
}

const COLLAPSE_ID_MAX_BYTES = 64;

function checkCollapseId(id = "absent"): ApnsRefusal | null {
  // Node decodes header fields as latin1: one character is one byte.
  if (id.length > 0 && id.length <= COLLAPSE_ID_MAX_BYTES) return null;
  return createApnsRefusal(400, "BadCollapseId", "apns-collapse-id is not 1 to 64 bytes.");
}

function checkDevice({ headers }: ApnsRequest, context: ApnsRuleContext): ApnsRefusal | null {
  const app = context.findApp(readDeviceToken(headers[":path"] ?? "") ?? "");
  if (app === null) {
    return createApnsRefusal(
      400,
      "BadDeviceToken",
      "The token does not belong to this environment.",
    );
  }
  if (app.topic !== readHeader(headers, "apns-topic")) {
    return createApnsRefusal(400, "DeviceTokenNotForTopic", "The token belongs to another topic.");
  }
  if (app.goneAtMs === null) return null;
  const refusal = createApnsRefusal(410, "Unregistered", "The app is no longer installed.");
  return { ...refusal, timestampMs: app.goneAtMs };
}
