import type { IncomingHttpHeaders } from "node:http2";
import { checkPayload, readPayload } from "./apns-payload-rules.ts";
import { refuse } from "./apns-refusal.ts";
import type { ApnsRefusal } from "./apns-refusal.ts";
import type { ProviderToken } from "./apns-token-rules.ts";
import type { ProviderKey } from "./provider-key.ts";

/** One request as it arrived. */
export interface ApnsRequest {
  readonly headers: IncomingHttpHeaders;
  /** Every header field's name as often as it was sent. */
  readonly fieldNames: readonly string[];
  readonly body: Buffer;
}

/** Facts that the rules need from the service that applies them. */
export interface ApnsBench {
  /** The topics of the team. */
  readonly topics: readonly string[];
  /** Judges the credentials, by what came before on the same connection too. */
  readonly admit: (authorization: string | undefined) => ProviderToken | ApnsRefusal;
  /** Finds the app that a device token, lower case, belongs to. */
  readonly find: (token: string) => InstalledApp | null;
}

/** An app on a device, as far as a push to it is concerned. */
export interface InstalledApp {
  readonly topic: string;
  /** Milliseconds since the epoch; null while it is installed. */
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
  /** Seconds since the epoch; 0 for now or never, null for as long as Apple likes. */
  readonly expiresAtS: number | null;
  readonly collapseId: string | null;
  /** The whole body. */
  readonly payload: Readonly<Record<string, unknown>>;
}

export type ApnsVerdict = ApnsAccepted | ApnsRefusal;

/** Judges one push as Apple does (Apple, "Sending notification requests to APNs", 2025). */
export function judge(request: ApnsRequest, bench: ApnsBench): ApnsVerdict {
  const { headers } = request;
  const misrouted = checkMethod(headers[":method"]) ?? checkPath(headers[":path"] ?? "");
  if (misrouted !== null) return misrouted;
  const admitted = checkDuplicates(request.fieldNames) ?? bench.admit(headers.authorization);
  if (admitted.kind === "refused") return admitted;
  const pushType = field(headers, "apns-push-type") ?? "";
  return (
    checkMessageId(field(headers, "apns-id")) ??
    checkTopic(field(headers, "apns-topic"), admitted.key, bench) ??
    checkPushType(pushType) ??
    checkPriority(field(headers, "apns-priority"), pushType) ??
    checkExpiration(field(headers, "apns-expiration")) ??
    checkCollapseId(field(headers, "apns-collapse-id")) ??
    checkDevice(request, bench) ??
    checkPayload(request.body, pushType) ??
    accept(request)
  );
}

/** Returns the device token that a path names, lower case, or null where it is no path to a device. */
export function deviceTokenOf(path: string): string | null {
  return DEVICE_PATH.exec(path)?.groups?.["token"]?.toLowerCase() ?? null;
}

/** Says whether a message may be named so: 8-4-4-4-12 hexadecimal digits. */
export function isMessageId(id: string): boolean {
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu.test(id);
}

const DEVICE_PATH = /^\/3\/device\/(?<token>[^/?#]*)$/u;

/** Returns the value of a header field; one sent twice has been refused before. */
export function field(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "object" ? value.join(",") : value;
}

function accept({ headers, body }: ApnsRequest): ApnsAccepted {
  const expiration = field(headers, "apns-expiration");
  return {
    kind: "accepted",
    deviceToken: deviceTokenOf(headers[":path"] ?? "") ?? "",
    topic: field(headers, "apns-topic") ?? "",
    pushType: field(headers, "apns-push-type") ?? "",
    priority: Number(field(headers, "apns-priority") ?? IMMEDIATE),
    expiresAtS: expiration === undefined ? null : Number(expiration),
    collapseId: field(headers, "apns-collapse-id") ?? null,
    payload: readPayload(body) ?? {},
  };
}

function checkMethod(method: string | undefined): ApnsRefusal | null {
  return method === "POST" ? null : refuse(405, "MethodNotAllowed", "Only POST is allowed.");
}

function checkPath(path: string): ApnsRefusal | null {
  const token = deviceTokenOf(path);
  if (token === null) return refuse(404, "BadPath", "The path is not /3/device/<token>.");
  return token === "" ? refuse(400, "MissingDeviceToken", "The path names no device.") : null;
}

function checkDuplicates(names: readonly string[]): ApnsRefusal | null {
  const name = names.find((candidate, index) => names.indexOf(candidate) !== index);
  if (name === undefined) return null;
  return refuse(400, "DuplicateHeaders", `${name} was sent more than once.`);
}

function checkMessageId(id: string | undefined): ApnsRefusal | null {
  if (id === undefined || isMessageId(id)) return null;
  return refuse(400, "BadMessageId", "apns-id is not a UUID.");
}

function checkTopic(
  topic: string | undefined,
  key: ProviderKey,
  { topics }: ApnsBench,
): ApnsRefusal | null {
  if (topic === undefined || topic === "") {
    return refuse(400, "MissingTopic", "apns-topic is missing.");
  }
  if (!topics.includes(topic)) return refuse(400, "BadTopic", "apns-topic is no app of the team.");
  if (key.topics?.includes(topic) ?? true) return null;
  return refuse(400, "TopicDisallowed", "The key is for other topics alone.");
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
  return refuse(400, "InvalidPushType", "apns-push-type is missing or unknown.");
}

const IMMEDIATE = "10";
const POWER_AWARE = "5";

function checkPriority(priority = IMMEDIATE, pushType: string): ApnsRefusal | null {
  if (!/^(?:10|5|1)$/u.test(priority)) {
    return refuse(400, "BadPriority", "apns-priority is none of 10, 5, 1.");
  }
  if (pushType !== "background" || priority === POWER_AWARE) return null;
  return refuse(400, "BadPriority", "A background push needs apns-priority 5.");
}

/** Ten digits hold the seconds of this epoch; milliseconds, the usual mistake, have more. */
function checkExpiration(expiration = "0"): ApnsRefusal | null {
  if (/^\d{1,10}$/u.test(expiration)) return null;
  return refuse(400, "BadExpirationDate", "apns-expiration is no moment in seconds.");
}

const MAX_COLLAPSE_ID_BYTES = 64;

function checkCollapseId(id = "absent"): ApnsRefusal | null {
  // Node hands header fields over as latin1: one character is one byte.
  if (id.length > 0 && id.length <= MAX_COLLAPSE_ID_BYTES) return null;
  return refuse(400, "BadCollapseId", "apns-collapse-id is not 1 to 64 bytes.");
}

function checkDevice({ headers }: ApnsRequest, bench: ApnsBench): ApnsRefusal | null {
  const app = bench.find(deviceTokenOf(headers[":path"] ?? "") ?? "");
  if (app === null) {
    return refuse(400, "BadDeviceToken", "The token is no token of this environment.");
  }
  if (app.topic !== field(headers, "apns-topic")) {
    return refuse(400, "DeviceTokenNotForTopic", "The token belongs to another topic.");
  }
  if (app.goneAtMs === null) return null;
  const gone = refuse(410, "Unregistered", "The app is no longer installed.");
  return { ...gone, timestampMs: app.goneAtMs };
}
