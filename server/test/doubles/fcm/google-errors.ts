/** An answer of a Google API that is no success. */
export interface GoogleError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One thing wrong with a request, by the path of the field: `message.android.ttl`. */
export interface FieldViolation {
  readonly field: string;
  readonly description: string;
}

type Detail = Readonly<Record<string, unknown>> & { readonly "@type": string };

/** The type of FCM's own errors (`google.firebase.fcm.v1.FcmError`). */
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

/** No token, or none that is good: 401, refused before the request is read. */
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

/** The token is good, but was not asked for with a scope that lets it send. */
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

/** The project's owner has not switched Firebase Cloud Messaging on. */
export function apiDisabled(projectId: string): GoogleError {
  const message =
    `Firebase Cloud Messaging API has not been used in project ${projectId} before or it is disabled. ` +
    `Enable it by visiting https://console.developers.google.com/apis/api/${SERVICE}/overview?project=${projectId} ` +
    "then retry.";
  return googleError(403, "PERMISSION_DENIED", message, [
    errorInfo("SERVICE_DISABLED", { service: SERVICE, consumer: `projects/${projectId}` }),
  ]);
}

/** No such project: 404 without an FcmError, which tells it from a device that is gone. */
export function unknownProject(): GoogleError {
  return googleError(404, "NOT_FOUND", "Requested entity was not found.", []);
}

/** The app was removed, or its registration has ended. */
export function unregistered(): GoogleError {
  return fcmError("UNREGISTERED", "Requested entity was not found.");
}

/** The registration belongs to another project than the one that sends. */
export function senderIdMismatch(): GoogleError {
  return fcmError("SENDER_ID_MISMATCH", "SenderId mismatch");
}

/** The key that Firebase itself holds for Apple or for browsers is refused there. */
export function thirdPartyAuthError(): GoogleError {
  return fcmError("THIRD_PARTY_AUTH_ERROR", "Auth error from APNS or Web Push Service");
}

/** FCM's answer to a target that is no registration token at all (its page of error codes, example 2). */
export function malformedToken(): GoogleError {
  return fcmError(
    "INVALID_ARGUMENT",
    "The registration token is not a valid FCM registration token",
  );
}

/** The same as `malformedToken` in the words that the clients of earlier years recorded (bloomberg/pushiko). */
export function malformedTokenByField(): GoogleError {
  return fcmError("INVALID_ARGUMENT", "Request contains an invalid argument.", [
    badRequest([{ field: "message.token", description: "Invalid registration token" }]),
  ]);
}

/** The JSON does not fit the API: answered by the front end, before FCM sees it. */
export function invalidJson(violations: readonly FieldViolation[]): GoogleError {
  const message = violations.map(({ description }) => description).join("\n");
  return googleError(400, "INVALID_ARGUMENT", message, [badRequest(violations)]);
}

/** The JSON fits the API, and FCM refuses what it says: both details, so neither alone tells whose fault it is. */
export function invalidMessage(violation: FieldViolation): GoogleError {
  return fcmError("INVALID_ARGUMENT", violation.description, [badRequest([violation])]);
}

/** Keys and values together exceed the limit; the real answer names no field. */
export function messageTooBig(): GoogleError {
  return fcmError("INVALID_ARGUMENT", "Android message is too big");
}

/**
 * Too many messages: for one device, or for the project. Google publishes the shape of the details, and not the words
 * of the violations; `retryAfter` is the header's value, seconds or a date.
 */
export function quotaExceeded(
  of: "device" | "project",
  retryAfter: string | null = null,
): GoogleError {
  const [subject, description] =
    of === "device"
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

/** The project's quota again, as Google's front end refuses it before FCM is asked: no FcmError, no QuotaFailure. */
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

/** The answer of a proxy in between, or of Google's front end with nothing behind it: a page for people. */
export function htmlPage(status: number): GoogleError {
  const title = status === 404 ? "Error 404 (Not Found)!!1" : `Error ${status} (Server Error)!!1`;
  return {
    status,
    headers: { "content-type": "text/html; charset=UTF-8" },
    body: `<!DOCTYPE html>\n<html lang=en>\n<title>${title}</title>\n<p><b>${status}.</b> That’s an error.\n`,
  };
}

/** The HTTP status and the general status of each of FCM's errors (firebase.google.com, reference of `ErrorCode`). */
const KINDS: Readonly<Record<FcmErrorCode, readonly [number, string]>> = {
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
  more: readonly Detail[] = [],
): GoogleError {
  const [status, name] = KINDS[errorCode];
  const detail = { "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", errorCode };
  return googleError(status, name, message, [...more, detail]);
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
