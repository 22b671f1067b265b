/** What an error body of a push service says, reduced to what we know how to read. */
export interface AnswerBody {
  /** Apple's reason, where it is one of its published list. */
  readonly reason: string | null;
  /** Mozilla's error number, where there is one. */
  readonly errno: number | null;
  /** The subscription was made with another VAPID key than ours. */
  readonly isForeignKey: boolean;
  /** The subscription has ended. */
  readonly isGone: boolean;
}

/** The reasons Apple lists in "Sending web push notifications in web apps and browsers". */
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

/** Sentences of FCM and Mozilla's autopush, which have no code of their own for a foreign key. */
const FOREIGN_KEY = [
  /do(?:es)? not correspond to the (?:credentials|sender id) used/iu,
  /UnauthorizedRegistration/u,
  /VAPID public key mismatch/iu,
];
/** FCM's sentence for an ended subscription, whatever the status. */
const ENDED = /unsubscribed or expired/iu;
/** Mozilla's autopush: no such endpoint, user, router or subscription. */
const GONE_ERRNOS: ReadonlySet<number> = new Set([102, 103, 105, 106]);

/** Reads the body of an error answer, whoever wrote it; nothing of its text is passed on. */
export function readAnswerBody(body: string): AnswerBody {
  const json = parseObject(body);
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

function parseObject(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    // Plain text or the HTML of a proxy: only its sentences count.
    return {};
  }
}

function smallInteger(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) && value > 0 && value < 1000
    ? value
    : null;
}
