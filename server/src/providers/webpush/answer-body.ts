import { parseObject } from "../json.ts";

/** The error body of a push service, reduced to the fields that we use. */
export interface WebPushAnswerBody {
  /** Apple's reason; null if its published list does not have it. */
  readonly reason: string | null;
  /** Mozilla's error number, if there is one. */
  readonly errno: number | null;
  /** The subscription was made with another VAPID key. */
  readonly isForeignKey: boolean;
  /** The subscription has ended. */
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

/** Sentences of FCM and Mozilla's autopush, which have no code for a foreign key. */
const FOREIGN_KEY = [
  /do(?:es)? not correspond to the (?:credentials|sender id) used/iu,
  /UnauthorizedRegistration/u,
  /VAPID public key mismatch/iu,
];
/** FCM's sentence for an ended subscription, with any status. */
const ENDED = /unsubscribed or expired/iu;
/** Mozilla's autopush: no such endpoint, user, router or subscription. */
const GONE_ERRNOS: ReadonlySet<number> = new Set([102, 103, 105, 106]);

/** Reads the body of an error answer, whether the push service or a proxy wrote it. Never returns its text. */
export function readAnswerBody(body: string): WebPushAnswerBody {
  // Plain text and the HTML of a proxy count only by known sentences.
  const json = parseObject(body) ?? {};
  const reason = APPLE_REASONS.has(String(json["reason"])) ? String(json["reason"]) : null;
  const errno = smallInteger(json["errno"]);
  return {
    reason,
    errno,
    isForeignKey:
      reason === "VapidPkHashMismatch" || FOREIGN_KEY.some((sentence) => sentence.test(body)),
    isGone: (errno !== null && GONE_ERRNOS.has(errno)) || ENDED.test(body),
  };
}

function smallInteger(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) && value > 0 && value < 1000
    ? value
    : null;
}
