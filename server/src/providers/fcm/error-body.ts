import { toJsonObject, parseJsonObject, type JsonFields } from "../json.ts";

/** The parts of a Google error body that we use, without its free text. */
export interface FcmErrorBody {
  /** FCM's own code for this message or its device; null if Google's front end responded, or the code is unknown. */
  readonly fcmCode: string | null;
  /** The canonical code of all Google services. */
  readonly status: string | null;
  /** The reason why Google's front end refused the request; null if it sent none that we know. */
  readonly reason: string | null;
  /** The invalid fields of the request, if their names are plain paths. */
  readonly invalidFields: readonly string[];
  /** True if the error is about the token or FID and about no other field. */
  readonly isAboutTarget: boolean;
  readonly isTooLarge: boolean;
  /** True if the quota of this device was exceeded, not that of the project. */
  readonly isDeviceQuota: boolean;
}

/** The error codes of FCM (firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode, 2026-11). */
const FCM_CODES: ReadonlySet<string> = new Set([
  "APNS_AUTH_ERROR",
  "INTERNAL",
  "INVALID_ARGUMENT",
  "QUOTA_EXCEEDED",
  "SENDER_ID_MISMATCH",
  "THIRD_PARTY_AUTH_ERROR",
  "UNAVAILABLE",
  "UNREGISTERED",
  "UNSPECIFIED_ERROR",
]);

/** The canonical codes of Google services (`google.rpc.Code`). */
const KNOWN_STATUSES: ReadonlySet<string> = new Set([
  "ABORTED",
  "ALREADY_EXISTS",
  "CANCELLED",
  "DATA_LOSS",
  "DEADLINE_EXCEEDED",
  "FAILED_PRECONDITION",
  "INTERNAL",
  "INVALID_ARGUMENT",
  "NOT_FOUND",
  "OUT_OF_RANGE",
  "PERMISSION_DENIED",
  "RESOURCE_EXHAUSTED",
  "UNAUTHENTICATED",
  "UNAVAILABLE",
  "UNIMPLEMENTED",
  "UNKNOWN",
]);

/** The values of `google.api.ErrorReason` that concern a service account, its project or its quota. */
const KNOWN_REASONS: ReadonlySet<string> = new Set([
  "ACCESS_TOKEN_EXPIRED",
  "ACCESS_TOKEN_SCOPE_INSUFFICIENT",
  "ACCESS_TOKEN_TYPE_UNSUPPORTED",
  "ACCOUNT_STATE_INVALID",
  "BILLING_DISABLED",
  "CONSUMER_INVALID",
  "CONSUMER_SUSPENDED",
  "CREDENTIALS_MISSING",
  "IAM_PERMISSION_DENIED",
  "RATE_LIMIT_EXCEEDED",
  "RESOURCE_QUOTA_EXCEEDED",
  "SERVICE_DISABLED",
  "SERVICE_NOT_VISIBLE",
  "USER_PROJECT_DENIED",
]);

const TARGET_FIELDS: ReadonlySet<string> = new Set(["message.token", "message.fid"]);
/** A field path of our request. Other strings may echo content that we sent. */
const PLAIN_PATH_PATTERN = /^(?:message|validate_only)(?:\.\w{1,32}|\[\d{1,3}\]){0,4}$/u;
const ABOUT_TARGET_PATTERN = /registration token|installation id|\bfid\b/iu;
const TOO_LARGE_PATTERN = /\btoo (?:big|large)\b/iu;

/** Returns the error in a body; null if the body does not have Google's format, which means that a proxy sent it. */
export function parseErrorBody(body: string): FcmErrorBody | null {
  const error = toJsonObject(parseJsonObject(body)?.["error"]);
  if (error === null) return null;
  const details = filterObjects(error["details"]);
  const message = String(error["message"]);
  const violations = filterDetails(details, "BadRequest").flatMap((detail) =>
    filterObjects(detail["fieldViolations"]),
  );
  const fields = violations.map((violation) => String(violation["field"]));
  const isAboutOtherFields = fields.some((field) => !TARGET_FIELDS.has(field));
  const fcm = filterDetails(details, "FcmError")[0];
  return {
    fcmCode: findKnown(FCM_CODES, fcm?.["errorCode"]),
    status: findKnown(KNOWN_STATUSES, error["status"]),
    reason: findKnown(KNOWN_REASONS, filterDetails(details, "ErrorInfo")[0]?.["reason"]),
    invalidFields: fields.filter((field) => PLAIN_PATH_PATTERN.test(field)),
    isAboutTarget: !isAboutOtherFields && (fields.length > 0 || ABOUT_TARGET_PATTERN.test(message)),
    isTooLarge: TOO_LARGE_PATTERN.test(message),
    isDeviceQuota: isDeviceQuota(details, message),
  };
}

/**
 * Returns whether the exceeded quota is that of a device; `google.rpc.QuotaFailure` names the device or the project.
 * The quota of a device must not stop all other devices, but that of the project must.
 */
function isDeviceQuota(details: readonly JsonFields[], message: string): boolean {
  const violations = filterDetails(details, "QuotaFailure").flatMap((detail) =>
    filterObjects(detail["violations"]),
  );
  const descriptions = [
    message,
    ...violations.map(({ subject, description }) => `${String(subject)} ${String(description)}`),
  ];
  return (
    descriptions.some((description) => /device/iu.test(description)) &&
    !descriptions.some((description) => /project/iu.test(description))
  );
}

/** Returns the details of one type, for example `BadRequest` for `type.googleapis.com/google.rpc.BadRequest`. */
function filterDetails(details: readonly JsonFields[], name: string): readonly JsonFields[] {
  return details.filter((detail) => String(detail["@type"]).endsWith(`.${name}`));
}

function filterObjects(value: unknown): readonly JsonFields[] {
  if (!Array.isArray(value)) return [];
  return value.map((item) => toJsonObject(item)).filter((item) => item !== null);
}

function findKnown(values: ReadonlySet<string>, value: unknown): string | null {
  return typeof value === "string" && values.has(value) ? value : null;
}
