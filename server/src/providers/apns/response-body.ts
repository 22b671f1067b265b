import { parseJsonObject } from "../json.ts";

/** The fields of an APNs response body that we use. */
export interface ApnsResponseBody {
  /** Apple's reason; null if it is unknown or missing. */
  readonly reason: string | null;
  /** When Apple learned that the token is no longer valid, in milliseconds since the epoch. */
  readonly timestamp: number | null;
}

/** The reasons of "Handling notification responses from APNs", and unlisted ones that have been observed. */
const KNOWN_REASONS: ReadonlySet<string> = new Set([
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

/** A time in September 2001. A smaller number is not in milliseconds. */
const TIMESTAMP_MIN_MS = 1_000_000_000_000;

/**
 * Parses the body of an error response from Apple or a proxy. Returns only reasons in the list, because a proxy's
 * text may contain anything.
 */
export function parseResponseBody(body: string): ApnsResponseBody {
  const { reason, timestamp } = parseJsonObject(body) ?? {};
  return {
    reason: typeof reason === "string" && KNOWN_REASONS.has(reason) ? reason : null,
    timestamp: isTimestamp(timestamp) ? timestamp : null,
  };
}

function isTimestamp(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= TIMESTAMP_MIN_MS;
}
