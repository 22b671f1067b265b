import { parseJsonObject } from "../json.ts";

/** The fields of a push service's error body that we use. */
export interface WebPushResponseBody {
  /** Apple's reason; null if it is not in Apple's published list. */
  readonly reason: string | null;
  /** Mozilla's error number, or null. */
  readonly errno: number | null;
  /** True if the subscription was created with another VAPID key. */
  readonly hasOtherVapidKey: boolean;
  /** True if the subscription has ended. */
  readonly isGone: boolean;
}

/** The reasons of "Sending web push notifications in web apps and browsers" (Apple). */
const APPLE_REASONS: ReadonlySet<string> = new Set([
  "BadAuthorizationHeader",
  "BadJwtToken",
  "BadPath",
  "BadTtl",
  "BadUrgency",
  "BadVapidPublicKey",
  "BadWebPushRequest",
  "BadWebPushTopic",
  "IdleTimeout",
  "InternalServerError",
  "MethodNotAllowed",
  "PayloadTooLarge",
  "ServiceUnavailable",
  "Shutdown",
  "TooManyRequests",
  "VapidPkHashMismatch",
]);

/** Sentences of FCM and Mozilla's autopush, which have no error code for another VAPID key. */
const OTHER_VAPID_KEY = [
  /do(?:es)? not correspond to the (?:credentials|sender id) used/iu,
  /UnauthorizedRegistration/u,
  /VAPID public key mismatch/iu,
];
/** FCM's sentence for an ended subscription, used with any status. */
const ENDED_SUBSCRIPTION_PATTERN = /unsubscribed or expired/iu;
/** Mozilla's autopush: no such endpoint, user, router or subscription. */
const GONE_ERRNOS: ReadonlySet<number> = new Set([102, 103, 105, 106]);

/** Parses the body of an error response from a push service or a proxy. Returns no text but a known reason. */
export function parseResponseBody(body: string): WebPushResponseBody {
  // Plain text and a proxy's HTML are only searched for known sentences.
  const json = parseJsonObject(body) ?? {};
  const reason = APPLE_REASONS.has(String(json["reason"])) ? String(json["reason"]) : null;
  const errno = toErrorNumber(json["errno"]);
  return {
    reason,
    errno,
    hasOtherVapidKey:
      reason === "VapidPkHashMismatch" || OTHER_VAPID_KEY.some((sentence) => sentence.test(body)),
    isGone: (errno !== null && GONE_ERRNOS.has(errno)) || ENDED_SUBSCRIPTION_PATTERN.test(body),
  };
}

function toErrorNumber(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) && value > 0 && value < 1000
    ? value
    : null;
}
