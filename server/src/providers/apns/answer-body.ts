/** What the body of an answer of APNs says, reduced to what we know how to read. */
export interface AnswerBody {
  /** Apple's reason, where it is one of its published list. */
  readonly reason: string | null;
  /** Since when Apple has known that the token is no longer good, in milliseconds since the epoch. */
  readonly timestamp: number | null;
}

/** The reasons of "Handling notification responses from APNs", and those that were seen but are not listed there. */
const REASONS: ReadonlySet<string> = new Set([
  "BadCertificate",
  "BadCertificateEnvironment",
  "BadChannelId",
  "BadCollapseId",
  "BadDeviceToken",
  "BadEnvironmentKeyIdInToken",
  "BadEnvironmentKeyInToken",
  "BadExpirationDate",
  "BadMessageId",
  "BadPath",
  "BadPriority",
  "BadRequestParams",
  "BadRequestPayload",
  "BadTopic",
  "CannotCreateChannelConfig",
  "ChannelNotRegistered",
  "DeviceTokenNotForTopic",
  "DuplicateHeaders",
  "ExpiredProviderToken",
  "ExpiredToken",
  "FeatureNotEnabled",
  "Forbidden",
  "IdleTimeout",
  "InternalServerError",
  "InvalidProviderToken",
  "InvalidPushType",
  "MethodNotAllowed",
  "MissingChannelId",
  "MissingDeviceToken",
  "MissingProviderToken",
  "MissingPushType",
  "MissingTopic",
  "PayloadEmpty",
  "PayloadTooLarge",
  "ServiceUnavailable",
  "Shutdown",
  "TooManyProviderTokenUpdates",
  "TooManyRequests",
  "TopicDisallowed",
  "TopicMismatch",
  "UnrelatedKeyIdInToken",
  "Unregistered",
]);

/** September 2001: what is smaller is no count of milliseconds. */
const MIN_TIMESTAMP_MS = 1_000_000_000_000;

/** Reads the body of an error answer, whoever wrote it; nothing of its text is passed on. */
export function readAnswerBody(body: string): AnswerBody {
  const { reason, timestamp } = parseObject(body);
  return {
    reason: typeof reason === "string" && REASONS.has(reason) ? reason : null,
    timestamp: isMoment(timestamp) ? timestamp : null,
  };
}

function isMoment(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= MIN_TIMESTAMP_MS;
}

function parseObject(body: string): { readonly reason?: unknown; readonly timestamp?: unknown } {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    // A proxy answers in HTML.
    return {};
  }
}
