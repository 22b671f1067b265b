import { asObject, parseObject, type JsonFields } from "../json.ts";

/** An error body of Google's, reduced to the fields that we use. Contains none of its text. */
export interface ErrorBody {
  /** FCM's own code, which concerns this message or its device. Null if Google's front end answered instead of FCM. */
  readonly fcmCode: string | null;
  /** The canonical code of all Google services. */
  readonly status: string | null;
  /** Why Google's front end refused the request, if it said so. */
  readonly reason: string | null;
  /** The invalid fields of the request; only names that are plain paths. */
  readonly wrongFields: readonly string[];
  /** Something other than the token or FID is invalid. */
  readonly isAboutOtherFields: boolean;
  /** The token or FID is invalid. */
  readonly isAboutTarget: boolean;
  readonly isTooBig: boolean;
  /** The quota of this one device was exceeded, and not that of the project. */
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
/** A field of a request of ours. Other texts may echo something that we sent. */
const PLAIN_PATH = /^(?:message|validate_only)(?:\.\w{1,32}|\[\d{1,3}\]){0,4}$/u;
const ABOUT_TARGET = /registration token|installation id|\bfid\b/iu;
const TOO_BIG = /\btoo (?:big|large)\b/iu;

/** Returns the error of a body; null if it is not in Google's form, because then a proxy answered. */
export function readErrorBody(body: string): ErrorBody | null {
  const error = asObject(parseObject(body)?.["error"]);
  if (error === null) return null;
  const details = listOf(error["details"]);
  const text = String(error["message"]);
  const violations = ofType(details, "BadRequest").flatMap((it) => listOf(it["fieldViolations"]));
  const fields = violations.map((violation) => String(violation["field"]));
  const isAboutOtherFields = fields.some((field) => !TARGET_FIELDS.has(field));
  const fcm = ofType(details, "FcmError")[0];
  return {
    fcmCode: oneOf(FCM_CODES, fcm?.["errorCode"]),
    status: oneOf(STATUSES, error["status"]),
    reason: oneOf(REASONS, ofType(details, "ErrorInfo")[0]?.["reason"]),
    wrongFields: fields.filter((field) => PLAIN_PATH.test(field)),
    isAboutOtherFields,
    isAboutTarget: !isAboutOtherFields && (fields.length > 0 || ABOUT_TARGET.test(text)),
    isTooBig: TOO_BIG.test(text),
    isDeviceQuota: isDeviceQuota(details, text),
  };
}

/**
 * FCM limits per device and per project, and names which in `google.rpc.QuotaFailure`. A device limit must not stop all
 * other devices, but a project limit must.
 */
function isDeviceQuota(details: readonly JsonFields[], text: string): boolean {
  const violations = ofType(details, "QuotaFailure").flatMap((it) => listOf(it["violations"]));
  const said = [
    text,
    ...violations.map(({ subject, description }) => `${String(subject)} ${String(description)}`),
  ];
  return said.some((it) => /device/iu.test(it)) && !said.some((it) => /project/iu.test(it));
}

/** `type.googleapis.com/google.firebase.fcm.v1.FcmError`, `type.googleapis.com/google.rpc.BadRequest` and others. */
function ofType(details: readonly JsonFields[], name: string): readonly JsonFields[] {
  return details.filter((detail) => String(detail["@type"]).endsWith(`.${name}`));
}

function listOf(value: unknown): readonly JsonFields[] {
  if (!Array.isArray(value)) return [];
  return value.map((item) => asObject(item)).filter((item) => item !== null);
}

function oneOf(known: ReadonlySet<string>, value: unknown): string | null {
  return typeof value === "string" && known.has(value) ? value : null;
}
