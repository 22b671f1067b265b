import { parseObject } from "../json.ts";

/** The body of an APNs answer, reduced to the fields that we use. */
export interface ApnsAnswerBody {
  /** Apple's reason; null if its published list does not have it. */
  readonly reason: string | null;
  /** When Apple learned that the token is no longer valid, in milliseconds since the epoch. */
  readonly timestamp: number | null;
}

/** The reasons of "Handling notification responses from APNs", and unlisted ones that were seen. */
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

/** September 2001: a smaller number is not in milliseconds. */
const MIN_TIMESTAMP_MS = 1_000_000_000_000;

/** Reads the body of an error answer, whether Apple or a proxy wrote it. Never returns its text. */
export function readAnswerBody(body: string): ApnsAnswerBody {
  const { reason, timestamp } = parseObject(body) ?? {};
  return {
    reason: typeof reason === "string" && REASONS.has(reason) ? reason : null,
    timestamp: isMoment(timestamp) ? timestamp : null,
  };
}

function isMoment(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= MIN_TIMESTAMP_MS;
}
