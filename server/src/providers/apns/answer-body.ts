import { parseObject } from "../json.ts";

/** The fields that we use of an APNs response body. */
export interface ApnsAnswerBody {
  /** Apple's reason; null if it is not a known one. */
  readonly reason: string | null;
  /** When Apple learned that the token is no longer valid, in milliseconds since the epoch. */
  readonly timestamp: number | null;
}

/** The reasons of "Handling notification responses from APNs", and unlisted ones that have been observed. */
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

/** September 2001. A smaller number is not in milliseconds. */
const TIMESTAMP_MIN_MS = 1_000_000_000_000;

/** Reads the body of an error response from Apple or a proxy. Never returns its text. */
export function readAnswerBody(body: string): ApnsAnswerBody {
  const { reason, timestamp } = parseObject(body) ?? {};
  return {
    reason: typeof reason === "string" && REASONS.has(reason) ? reason : null,
    timestamp: isTimestamp(timestamp) ? timestamp : null,
  };
}

function isTimestamp(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= TIMESTAMP_MIN_MS;
}
