/** An error response of a Google API. */
export interface GoogleError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An error of a field, with its path: `message.android.ttl`. */
export interface FieldViolation {
  readonly field: string;
  readonly description: string;
}

type Detail = Readonly<Record<string, unknown>> & { readonly "@type": string };

/** Codes of FCM's own errors (`google.firebase.fcm.v1.FcmError`). */
export type FcmErrorCode =
  | "UNSPECIFIED_ERROR"
  | "INVALID_ARGUMENT"
  | "UNREGISTERED"
  | "SENDER_ID_MISMATCH"
  | "QUOTA_EXCEEDED"
  | "UNAVAILABLE"
  | "INTERNAL"
  | "THIRD_PARTY_AUTH_ERROR";

const SERVICE = "fcm.googleapis.com";
const CHALLENGE = 'Bearer realm="https://accounts.google.com/"';

/** A missing or invalid token: 401, before the request is read. */
export function unauthenticated(
  reason: "CREDENTIALS_MISSING" | "ACCESS_TOKEN_TYPE_UNSUPPORTED" | "ACCESS_TOKEN_EXPIRED",
): GoogleError {
  const expected =
    "Expected OAuth 2 access token, login cookie or other valid authentication credential. " +
    "See https://developers.google.com/identity/sign-in/web/devconsole-project.";
  const isMissing = reason === "CREDENTIALS_MISSING";
  const message = isMissing
    ? `Request is missing required authentication credential. ${expected}`
    : `Request had invalid authentication credentials. ${expected}`;
  const method = "google.firebase.fcm.v1.FcmService.SendMessage";
  const error = googleError(401, "UNAUTHENTICATED", message, [
    errorInfo(reason, { service: SERVICE, method }),
  ]);
  const challenge = isMissing ? CHALLENGE : `${CHALLENGE}, error="invalid_token"`;
  return { ...error, headers: { ...error.headers, "www-authenticate": challenge } };
}

/** The token is valid, but its scopes do not allow sending. */
export function scopeInsufficient(): GoogleError {
  const message = "Request had insufficient authentication scopes.";
  const method = "google.firebase.fcm.v1.FcmService.SendMessage";
  return googleError(403, "PERMISSION_DENIED", message, [
    errorInfo("ACCESS_TOKEN_SCOPE_INSUFFICIENT", { service: SERVICE, method }),
  ]);
}

/** The service account may not send for this project, which exists. */
export function permissionDenied(projectId: string): GoogleError {
  const permission = "cloudmessaging.messages.create";
  const resource = `//cloudresourcemanager.googleapis.com/projects/${projectId}`;
  const message = `Permission '${permission}' denied on resource '${resource}' (or it may not exist).`;
  return googleError(403, "PERMISSION_DENIED", message, [
    errorInfo("IAM_PERMISSION_DENIED", { resource, permission }),
  ]);
}

/** Firebase Cloud Messaging is not enabled for the project. */
export function apiDisabled(projectId: string): GoogleError {
  const message =
    `Firebase Cloud Messaging API has not been used in project ${projectId} before or it is disabled. ` +
    `Enable it by visiting https://console.developers.google.com/apis/api/${SERVICE}/overview?project=${projectId} ` +
    "then retry.";
  return googleError(403, "PERMISSION_DENIED", message, [
    errorInfo("SERVICE_DISABLED", { service: SERVICE, consumer: `projects/${projectId}` }),
  ]);
}

/** An unknown project: 404 without an FcmError, unlike an unregistered device. */
export function unknownProject(): GoogleError {
  return googleError(404, "NOT_FOUND", "Requested entity was not found.", []);
}

/** The app was removed, or its registration has ended. */
export function unregistered(): GoogleError {
  return fcmError("UNREGISTERED", "Requested entity was not found.");
}

/** The registration belongs to another project. */
export function senderIdMismatch(): GoogleError {
  return fcmError("SENDER_ID_MISMATCH", "SenderId mismatch");
}

/** Apple or the Web Push service refused Firebase's own credentials. */
export function thirdPartyAuthError(): GoogleError {
  return fcmError("THIRD_PARTY_AUTH_ERROR", "Auth error from APNS or Web Push Service");
}

/** FCM's response to a malformed registration token (page of error codes, example 2). */
export function malformedToken(): GoogleError {
  return fcmError(
    "INVALID_ARGUMENT",
    "The registration token is not a valid FCM registration token",
  );
}

/** Like `malformedToken`, in an older form that a client recorded (bloomberg/pushiko). */
export function malformedTokenByField(): GoogleError {
  return fcmError("INVALID_ARGUMENT", "Request contains an invalid argument.", [
    badRequest([{ field: "message.token", description: "Invalid registration token" }]),
  ]);
}

/** The JSON does not match the API. The front end responds before FCM receives it. */
export function invalidJson(violations: readonly FieldViolation[]): GoogleError {
  const message = violations.map(({ description }) => description).join("\n");
  return googleError(400, "INVALID_ARGUMENT", message, [badRequest(violations)]);
}

/** The JSON matches the API, but FCM refuses its values. Has both error details. */
export function invalidMessage(violation: FieldViolation): GoogleError {
  return fcmError("INVALID_ARGUMENT", violation.description, [badRequest([violation])]);
}

/** Keys and values exceed the limit in total. The real response names no field. */
export function messageTooBig(): GoogleError {
  return fcmError("INVALID_ARGUMENT", "Android message is too big");
}

/**
 * Too many messages for a device or the project. Google documents the form of the details but not the text of the
 * violations. `retryAfter` is the header's value, seconds or a date.
 */
export function quotaExceeded(
  scope: "device" | "project",
  retryAfter: string | null = null,
): GoogleError {
  const [subject, description] =
    scope === "device"
      ? ["device", "Device message rate exceeded."]
      : ["project", "Quota exceeded for quota metric 'Send requests per minute'."];
  const error = fcmError("QUOTA_EXCEEDED", "Resource has been exhausted (e.g. check quota).", [
    {
      "@type": "type.googleapis.com/google.rpc.QuotaFailure",
      violations: [{ subject, description }],
    },
  ]);
  return withRetryAfter(error, retryAfter);
}

/** The project's quota as refused by Google's front end, before FCM: without FcmError and QuotaFailure. */
export function rateLimitExceeded(retryAfter: string | null = null): GoogleError {
  const message =
    "Quota exceeded for quota metric 'Send requests' and limit 'Send requests per minute' of " +
    `service '${SERVICE}' for consumer 'project_number:123456789012'.`;
  const error = googleError(429, "RESOURCE_EXHAUSTED", message, [
    errorInfo("RATE_LIMIT_EXCEEDED", {
      service: SERVICE,
      quota_metric: `${SERVICE}/send_requests`,
      quota_limit: "SendRequestsPerMinutePerProject",
      consumer: "projects/123456789012",
    }),
  ]);
  return withRetryAfter(error, retryAfter);
}

export function internal(): GoogleError {
  return fcmError("INTERNAL", "Internal error encountered.");
}

export function unavailable(retryAfter: string | null = null): GoogleError {
  return withRetryAfter(
    fcmError("UNAVAILABLE", "The service is currently unavailable."),
    retryAfter,
  );
}

/** An HTML error page of a proxy or of Google's front end. */
export function htmlPage(status: number): GoogleError {
  const title = status === 404 ? "Error 404 (Not Found)!!1" : `Error ${status} (Server Error)!!1`;
  return {
    status,
    headers: { "content-type": "text/html; charset=UTF-8" },
    body: `<!DOCTYPE html>\n<html lang=en>\n<title>${title}</title>\n<p><b>${status}.</b> That’s an error.\n`,
  };
}

/** HTTP status and general status of FCM's errors (firebase.google.com, reference of `ErrorCode`). */
const STATUSES: Readonly<Record<FcmErrorCode, readonly [number, string]>> = {
  UNSPECIFIED_ERROR: [500, "UNKNOWN"],
  INVALID_ARGUMENT: [400, "INVALID_ARGUMENT"],
  UNREGISTERED: [404, "NOT_FOUND"],
  SENDER_ID_MISMATCH: [403, "PERMISSION_DENIED"],
  QUOTA_EXCEEDED: [429, "RESOURCE_EXHAUSTED"],
  UNAVAILABLE: [503, "UNAVAILABLE"],
  INTERNAL: [500, "INTERNAL"],
  THIRD_PARTY_AUTH_ERROR: [401, "UNAUTHENTICATED"],
};

function fcmError(
  errorCode: FcmErrorCode,
  message: string,
  details: readonly Detail[] = [],
): GoogleError {
  const [status, name] = STATUSES[errorCode];
  const detail = { "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", errorCode };
  return googleError(status, name, message, [...details, detail]);
}

function googleError(
  code: number,
  status: string,
  message: string,
  details: readonly Detail[],
): GoogleError {
  const error = { code, message, status, ...(details.length > 0 ? { details } : {}) };
  return {
    status: code,
    headers: { "content-type": "application/json; charset=UTF-8" },
    body: JSON.stringify({ error }, null, 2),
  };
}

function badRequest(fieldViolations: readonly FieldViolation[]): Detail {
  return { "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations };
}

function errorInfo(reason: string, metadata: Readonly<Record<string, string>>): Detail {
  const type = "type.googleapis.com/google.rpc.ErrorInfo";
  return { "@type": type, reason, domain: "googleapis.com", metadata };
}

function withRetryAfter(error: GoogleError, retryAfter: string | null): GoogleError {
  if (retryAfter === null) return error;
  return { ...error, headers: { ...error.headers, "retry-after": retryAfter } };
}
