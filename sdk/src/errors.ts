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
  | "invite_limit"
  | "expired"
  | "rate_limited"
  | "unavailable"
  | "internal";

/** The codes of the APIs whose errors carry an object. */
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

/** Every code a server answers with. */
export type ErrorCode = ApiErrorCode | ManagementErrorCode;

/** What an error of the notification and app API says in its `error`. */
export interface ApiErrorDetail {
  readonly code: ApiErrorCode;
  /** The field of the request that the caller must mend. */
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

/** The codes that the client itself gives to an answer that did not come from a Tocsin server, or not in one piece. */
export type ClientErrorCode = "not_json" | "unexpected_answer" | "redirected";

/** Everything a `TocsinError` says. */
export interface TocsinErrorFields {
  readonly status: number;
  readonly code: ErrorCode | ClientErrorCode | (string & {});
  readonly message: string;
  readonly field: string | null;
  readonly requestId: string | null;
  readonly retryAfterMs: number | null;
  readonly body: unknown;
}

/** An answer that was not the one asked for; secrets of the client are struck from all its texts. */
export class TocsinError extends Error {
  readonly status: number;
  /** Open, so that a newer server may say more. */
  readonly code: TocsinErrorFields["code"];
  /** The field of the request to mend, where one is at fault. */
  readonly field: string | null;
  /** What to quote to the operator of the server. */
  readonly requestId: string | null;
  /** How long the server asks to wait, from `Retry-After` (RFC 9110 section 10.2.3). */
  readonly retryAfterMs: number | null;
  /** The parsed body; null where it was not JSON. */
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

/** No answer came in time or at all; whether the server acted on the request is not known. */
export class TocsinConnectionError extends Error {
  /** The method of the client that failed, such as `devices.list`. */
  readonly operation: string;
  /** The server's host and port; never a path, which may hold a key. */
  readonly host: string;
  readonly isTimeout: boolean;

  constructor(fields: {
    readonly operation: string;
    readonly host: string;
    readonly isTimeout: boolean;
    readonly cause: unknown;
  }) {
    const { operation, host, isTimeout, cause } = fields;
    super(`${operation}: ${isTimeout ? "no answer in time" : "no answer"} from ${host}`, { cause });
    this.name = "TocsinConnectionError";
    this.operation = operation;
    this.host = host;
    this.isTimeout = isTimeout;
  }
}
