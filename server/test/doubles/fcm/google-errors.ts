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

/** The codes of FCM's own errors (`google.firebase.fcm.v1.FcmError`). */
export type FcmErrorCode =
  | "UNSPECIFIED_ERROR"
  | "INVALID_ARGUMENT"
  | "UNREGISTERED"
  | "SENDER_ID_MISMATCH"
  | "QUOTA_EXCEEDED"
  | "UNAVAILABLE"
  | "INTERNAL"
  | "THIRD_PARTY_AUTH_ERROR";

const SERVICE_NAME = "fcm.googleapis.com";
const CHALLENGE = 'Bearer realm="https://accounts.google.com/"';

/** Returns the error for a missing or invalid token: 401, before the request is read. */
export function createUnauthenticatedError(
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
  const error = createGoogleError(401, "UNAUTHENTICATED", message, [
    createErrorInfo(reason, { service: SERVICE_NAME, method }),
  ]);
  const challenge = isMissing ? CHALLENGE : `${CHALLENGE}, error="invalid_token"`;
  return { ...error, headers: { ...error.headers, "www-authenticate": challenge } };
}

/** Returns the error for a valid token whose scopes do not allow sending. */
export function createInsufficientScopeError(): GoogleError {
  const message = "Request had insufficient authentication scopes.";
  const method = "google.firebase.fcm.v1.FcmService.SendMessage";
  return createGoogleError(403, "PERMISSION_DENIED", message, [
    createErrorInfo("ACCESS_TOKEN_SCOPE_INSUFFICIENT", { service: SERVICE_NAME, method }),
  ]);
}

/** Returns the error for an existing project that this service account may not send for. */
export function createPermissionDeniedError(projectId: string): GoogleError {
  const permission = "cloudmessaging.messages.create";
  const resource = `//cloudresourcemanager.googleapis.com/projects/${projectId}`;
  const message = `Permission '${permission}' denied on resource '${resource}' (or it may not exist).`;
  return createGoogleError(403, "PERMISSION_DENIED", message, [
    createErrorInfo("IAM_PERMISSION_DENIED", { resource, permission }),
  ]);
}

/** Returns the error for a project in which Firebase Cloud Messaging is not enabled. */
export function createApiDisabledError(projectId: string): GoogleError {
  const message =
    `Firebase Cloud Messaging API has not been used in project ${projectId} before or it is disabled. ` +
    `Enable it by visiting https://console.developers.google.com/apis/api/${SERVICE_NAME}/overview?project=${projectId} ` +
    "then retry.";
  return createGoogleError(403, "PERMISSION_DENIED", message, [
    createErrorInfo("SERVICE_DISABLED", {
      service: SERVICE_NAME,
      consumer: `projects/${projectId}`,
    }),
  ]);
}

/** Returns the error for an unknown project: 404 without an FcmError, unlike an unregistered device. */
export function createUnknownProjectError(): GoogleError {
  return createGoogleError(404, "NOT_FOUND", "Requested entity was not found.", []);
}

/** Returns the error for an app that was removed, or whose registration has ended. */
export function createUnregisteredError(): GoogleError {
  return createFcmError("UNREGISTERED", "Requested entity was not found.");
}

/** Returns the error for a registration that belongs to another project. */
export function createSenderIdMismatchError(): GoogleError {
  return createFcmError("SENDER_ID_MISMATCH", "SenderId mismatch");
}

/** Returns the error for APNs or Web Push credentials stored in Firebase that are missing or refused. */
export function createThirdPartyAuthError(): GoogleError {
  return createFcmError("THIRD_PARTY_AUTH_ERROR", "Auth error from APNS or Web Push Service");
}

/** Returns FCM's response to a malformed registration token (page of error codes, example 2). */
export function createMalformedTokenError(): GoogleError {
  return createFcmError(
    "INVALID_ARGUMENT",
    "The registration token is not a valid FCM registration token",
  );
}

/** Returns FCM's older response to a malformed registration token, as another client recorded it (bloomberg/pushiko). */
export function createMalformedTokenFieldError(): GoogleError {
  return createFcmError("INVALID_ARGUMENT", "Request contains an invalid argument.", [
    createBadRequestDetail([{ field: "message.token", description: "Invalid registration token" }]),
  ]);
}

/** Returns the error for JSON that does not match the API. The front end responds before FCM receives the request. */
export function createInvalidJsonError(violations: readonly FieldViolation[]): GoogleError {
  const message = violations.map(({ description }) => description).join("\n");
  return createGoogleError(400, "INVALID_ARGUMENT", message, [createBadRequestDetail(violations)]);
}

/**
 * Returns the error for JSON that matches the API, but has values that FCM refuses. It has a BadRequest and an
 * FcmError.
 */
export function createInvalidMessageError(violation: FieldViolation): GoogleError {
  return createFcmError("INVALID_ARGUMENT", violation.description, [
    createBadRequestDetail([violation]),
  ]);
}

/** Returns the error for keys and values that exceed the limit in total. The real response names no field. */
export function createMessageTooBigError(): GoogleError {
  return createFcmError("INVALID_ARGUMENT", "Android message is too big");
}

/**
 * Returns the error for too many messages to a device or from the project. Google documents the form of the details,
 * but not the text of the violations. `retryAfter` is the header's value, seconds or a date.
 */
export function createQuotaExceededError(
  scope: "device" | "project",
  retryAfter: string | null = null,
): GoogleError {
  const [subject, description] =
    scope === "device"
      ? ["device", "Device message rate exceeded."]
      : ["project", "Quota exceeded for quota metric 'Send requests per minute'."];
  const error = createFcmError(
    "QUOTA_EXCEEDED",
    "Resource has been exhausted (e.g. check quota).",
    [
      {
        "@type": "type.googleapis.com/google.rpc.QuotaFailure",
        violations: [{ subject, description }],
      },
    ],
  );
  return addRetryAfter(error, retryAfter);
}

/** Returns the front end's error for an exhausted project quota, with neither an FcmError nor a QuotaFailure. */
export function createRateLimitExceededError(retryAfter: string | null = null): GoogleError {
  const message =
    "Quota exceeded for quota metric 'Send requests' and limit 'Send requests per minute' of " +
    `service '${SERVICE_NAME}' for consumer 'project_number:123456789012'.`;
  const error = createGoogleError(429, "RESOURCE_EXHAUSTED", message, [
    createErrorInfo("RATE_LIMIT_EXCEEDED", {
      service: SERVICE_NAME,
      quota_metric: `${SERVICE_NAME}/send_requests`,
      quota_limit: "SendRequestsPerMinutePerProject",
      consumer: "projects/123456789012",
    }),
  ]);
  return addRetryAfter(error, retryAfter);
}

/** Returns the error for a failure of FCM itself: 500 INTERNAL. */
export function createInternalError(): GoogleError {
  return createFcmError("INTERNAL", "Internal error encountered.");
}

/** Returns the error for an overload of FCM: 503 UNAVAILABLE. `retryAfter` is the header's value, seconds or a date. */
export function createUnavailableError(retryAfter: string | null = null): GoogleError {
  return addRetryAfter(
    createFcmError("UNAVAILABLE", "The service is currently unavailable."),
    retryAfter,
  );
}

/** Returns an HTML error page of a proxy or of Google's front end. */
export function createHtmlPage(status: number): GoogleError {
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

function createFcmError(
  errorCode: FcmErrorCode,
  message: string,
  details: readonly Detail[] = [],
): GoogleError {
  const [status, name] = STATUSES[errorCode];
  const detail = { "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", errorCode };
  return createGoogleError(status, name, message, [...details, detail]);
}

function createGoogleError(
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

function createBadRequestDetail(fieldViolations: readonly FieldViolation[]): Detail {
  return { "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations };
}

function createErrorInfo(reason: string, metadata: Readonly<Record<string, string>>): Detail {
  const type = "type.googleapis.com/google.rpc.ErrorInfo";
  return { "@type": type, reason, domain: "googleapis.com", metadata };
}

function addRetryAfter(error: GoogleError, retryAfter: string | null): GoogleError {
  if (retryAfter === null) return error;
  return { ...error, headers: { ...error.headers, "retry-after": retryAfter } };
}
