import { asObject, parseObject, type JsonFields } from "../json.ts";

/** The fields that we use of a Google error body. Contains none of its text. */
export interface ErrorBody {
  /** FCM's own code, which concerns this message or its device. Null if Google's front end answered instead of FCM. */
  readonly fcmCode: string | null;
  /** The canonical code of all Google services. */
  readonly status: string | null;
  /** The reason why Google's front end refused the request; null if it sent none. */
  readonly reason: string | null;
  /** The invalid fields of the request; only names that are plain paths. */
  readonly wrongFields: readonly string[];
  /** Something other than the token or FID is invalid. */
  readonly isAboutOtherFields: boolean;
  /** The token or FID is invalid. */
  readonly isAboutTarget: boolean;
  readonly isTooBig: boolean;
  /** The quota of this device was exceeded, not the project's quota. */
  readonly isDeviceQuota: boolean;
}

/** firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode, 2026-11. */
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

/** `google.rpc.Code`. */
const STATUSES: ReadonlySet<string> = new Set([
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

/** The values of `google.api.ErrorReason` that a service account can meet. */
const REASONS: ReadonlySet<string> = new Set([
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
const PLAIN_PATH = /^(?:message|validate_only)(?:\.\w{1,32}|\[\d{1,3}\]){0,4}$/u;
const ABOUT_TARGET = /registration token|installation id|\bfid\b/iu;
const TOO_BIG = /\btoo (?:big|large)\b/iu;

/** Returns the error in a body; null if it does not have Google's format, because a proxy sent it then. */
export function readErrorBody(body: string): ErrorBody | null {
  const error = asObject(parseObject(body)?.["error"]);
  if (error === null) return null;
  const details = objectsIn(error["details"]);
  const text = String(error["message"]);
  const violations = detailsOfType(details, "BadRequest").flatMap((detail) =>
    objectsIn(detail["fieldViolations"]),
  );
  const fields = violations.map((violation) => String(violation["field"]));
  const isAboutOtherFields = fields.some((field) => !TARGET_FIELDS.has(field));
  const fcm = detailsOfType(details, "FcmError")[0];
  return {
    fcmCode: oneOf(FCM_CODES, fcm?.["errorCode"]),
    status: oneOf(STATUSES, error["status"]),
    reason: oneOf(REASONS, detailsOfType(details, "ErrorInfo")[0]?.["reason"]),
    wrongFields: fields.filter((field) => PLAIN_PATH.test(field)),
    isAboutOtherFields,
    isAboutTarget: !isAboutOtherFields && (fields.length > 0 || ABOUT_TARGET.test(text)),
    isTooBig: TOO_BIG.test(text),
    isDeviceQuota: isDeviceQuota(details, text),
  };
}

/**
 * Returns whether the exceeded limit is a device's; `google.rpc.QuotaFailure` names the device or the project. A device
 * limit must not stop all other devices, but a project limit must.
 */
function isDeviceQuota(details: readonly JsonFields[], text: string): boolean {
  const violations = detailsOfType(details, "QuotaFailure").flatMap((detail) =>
    objectsIn(detail["violations"]),
  );
  const descriptions = [
    text,
    ...violations.map(({ subject, description }) => `${String(subject)} ${String(description)}`),
  ];
  return (
    descriptions.some((it) => /device/iu.test(it)) &&
    !descriptions.some((it) => /project/iu.test(it))
  );
}

/** Returns the details of one type, for example `BadRequest` for `type.googleapis.com/google.rpc.BadRequest`. */
function detailsOfType(details: readonly JsonFields[], name: string): readonly JsonFields[] {
  return details.filter((detail) => String(detail["@type"]).endsWith(`.${name}`));
}

function objectsIn(value: unknown): readonly JsonFields[] {
  if (!Array.isArray(value)) return [];
  return value.map((item) => asObject(item)).filter((item) => item !== null);
}

function oneOf(values: ReadonlySet<string>, value: unknown): string | null {
  return typeof value === "string" && values.has(value) ? value : null;
}
