/** The codes of the notification API (`/api/v1`). */
export type NotificationErrorCode =
  | "invalid_json"
  | "unsupported_content_type"
  | "invalid_field"
  | "invalid_request"
  | "body_too_large"
  | "idempotency_mismatch"
  | "preview_blocked"
  | "post_only"
  | "missing_key"
  | "invalid_key"
  | "wrong_key_kind"
  | "unknown_group"
  | "too_many"
  | "not_found"
  | "method_not_allowed"
  | "rate_limited"
  | "unavailable"
  | "internal";

/** The codes of the app API (`/api/app/v1`) and of sign-in (`/api/auth`). */
export type AppErrorCode =
  | "invalid_json"
  | "unsupported_content_type"
  | "invalid_field"
  | "invalid_email"
  | "invalid_request"
  | "body_too_large"
  | "unauthenticated"
  | "forbidden"
  | "password_required"
  | "wrong_account"
  | "account_suspended"
  | "sign_up_closed"
  | "invitation_required"
  | "not_found"
  | "method_not_allowed"
  | "conflict"
  | "last_owner"
  | "not_ringing"
  | "prompt_closed"
  | "too_many"
  | "invite_limit"
  | "expired"
  | "rate_limited"
  | "unavailable"
  | "internal";

/** The codes of the notification API and the app API, whose errors contain an object. */
export type ApiErrorCode = NotificationErrorCode | AppErrorCode;

/** The codes of the management API (`/api/management/v1`). */
export type ManagementErrorCode =
  | "invalid_json"
  | "unsupported_content_type"
  | "invalid_field"
  | "invalid_email"
  | "invalid_request"
  | "body_too_large"
  | "missing_key"
  | "invalid_key"
  | "wrong_key_kind"
  | "unknown_team"
  | "last_owner"
  | "invite_limit"
  | "not_found"
  | "method_not_allowed"
  | "rate_limited"
  | "unavailable"
  | "internal";

/** Every code that a server sends. */
export type ErrorCode = ApiErrorCode | ManagementErrorCode;

/** The `error` of the notification and app API. */
export interface ApiErrorDetail {
  readonly code: ApiErrorCode;
  /** The field of the request that the caller must correct. */
  readonly field?: string;
  readonly requestId: string;
}

/** The body of every error of the notification API and of the app API. */
export interface ApiErrorBody {
  readonly success: false;
  readonly message: string;
  readonly error: ApiErrorDetail;
}

/** The body of every error of the management API. */
export interface ManagementErrorBody {
  readonly success: false;
  readonly message: string;
  readonly error: ManagementErrorCode;
}

/** The client's own codes, for a response that is incomplete or did not come from a Tocsin server. */
export type ClientErrorCode = "not_json" | "unexpected_answer" | "redirected" | "https_expected";

/** The fields of a `TocsinError`. */
export interface TocsinErrorFields {
  readonly status: number;
  readonly code: ErrorCode | ClientErrorCode | (string & {});
  readonly message: string;
  readonly field: string | null;
  readonly requestId: string | null;
  readonly retryAfterMs: number | null;
  readonly body: unknown;
}

/** A refusal or an unexpected response. The client's secrets are removed from all its strings. */
export class TocsinError extends Error {
  readonly status: number;
  /** A newer server may send further codes. */
  readonly code: TocsinErrorFields["code"];
  /** The field of the request to correct; null if the error is not about one field. */
  readonly field: string | null;
  /** The id of the request, to quote to the operator of the server. */
  readonly requestId: string | null;
  /** The delay that the server requests with `Retry-After` (RFC 9110 section 10.2.3). */
  readonly retryAfterMs: number | null;
  /** The parsed body; null if it was not JSON. */
  readonly body: unknown;

  constructor(fields: TocsinErrorFields) {
    super(fields.message);
    this.name = "TocsinError";
    this.status = fields.status;
    this.code = fields.code;
    this.field = fields.field;
    this.requestId = fields.requestId;
    this.retryAfterMs = fields.retryAfterMs;
    this.body = fields.body;
  }
}

/**
 * A sign that the base URL has the wrong scheme. `not_https`: a server called by `https:` does not speak TLS.
 * `not_http`: a server called by `http:` sent bytes that are not HTTP, such as TLS. `maybe_not_http`: a server called
 * by `http:` closed the connection without a response, as TLS servers do, and servers that are stopping.
 */
export type SchemeFault = "not_https" | "not_http" | "maybe_not_http";

const SCHEME_FAULTS: Readonly<Record<SchemeFault, string>> = {
  not_https: "it does not speak https: there, so baseUrl may have to begin with http:",
  not_http: "it does not speak http: there, so baseUrl may have to begin with https:",
  maybe_not_http: "if it speaks https:, baseUrl must begin with https:",
};

/** Thrown if no response arrived in time or at all. Whether the server acted on the request is unknown. */
export class TocsinConnectionError extends Error {
  /** The method of the client that failed, such as `devices.list`. */
  readonly operation: string;
  /** The server's host and port; never a path, which may contain a key. */
  readonly host: string;
  readonly isTimeout: boolean;
  /** A hint that the scheme of `baseUrl` may be wrong; null if nothing suggests it. */
  readonly schemeFault: SchemeFault | null;

  constructor(fields: {
    readonly operation: string;
    readonly host: string;
    readonly isTimeout: boolean;
    readonly schemeFault?: SchemeFault | null;
    readonly cause: unknown;
  }) {
    const { operation, host, isTimeout, schemeFault = null, cause } = fields;
    const problem = isTimeout ? "no response in time" : "no response";
    const hint = schemeFault === null ? "" : `; ${SCHEME_FAULTS[schemeFault]}`;
    super(`${operation}: ${problem} from ${host}${hint}`, { cause });
    this.name = "TocsinConnectionError";
    this.operation = operation;
    this.host = host;
    this.isTimeout = isTimeout;
    this.schemeFault = schemeFault;
  }
}
