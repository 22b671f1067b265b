/** Error codes that callers see, the same on all surfaces of the server. */
export type ErrorCode =
  // input
  | "invalid_json"
  | "unsupported_content_type"
  | "invalid_field"
  | "invalid_email"
  | "body_too_large"
  | "invalid_request"
  | "idempotency_mismatch"
  | "preview_blocked"
  | "post_only"
  // authentication and permission
  | "missing_key"
  | "invalid_key"
  | "wrong_key_kind"
  | "unauthenticated"
  | "forbidden"
  | "password_required"
  | "wrong_account"
  | "account_suspended"
  | "sign_up_closed"
  | "invitation_required"
  // resource
  | "unknown_group"
  | "unknown_team"
  | "not_found"
  | "method_not_allowed"
  | "conflict"
  | "not_ringing"
  | "prompt_closed"
  | "too_many"
  | "last_owner"
  | "invite_limit"
  | "expired"
  // rate
  | "rate_limited"
  // server
  | "unavailable"
  | "internal";

/** Optional details of an error. */
export interface ErrorDetails {
  /** The field of the request that the caller must fix. */
  readonly field?: string;
  /** How long the caller should wait before the next attempt. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** A mistake of the caller, or a temporary state of the server. `http/` maps its code to a status. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly field: string | null;
  readonly retryAfterMs: number | null;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.name = "AppError";
    this.code = code;
    this.field = details.field ?? null;
    this.retryAfterMs = details.retryAfterMs ?? null;
  }
}

/** Returns the error for one field of a request; the message names the field and says how to fix it. */
export function invalidField(field: string, message: string): AppError {
  return new AppError("invalid_field", message, { field });
}

/** Returns an error and its causes, the deepest first because it is the most specific; empty for any other value. */
export function listCauses(error: unknown): readonly Error[] {
  const causes: Error[] = [];
  for (let cause = error; cause instanceof Error && causes.length < CAUSES_MAX;) {
    causes.unshift(cause);
    cause = cause.cause;
  }
  return causes;
}

/** Maximum number of errors to list, because a chain of causes may be circular. */
const CAUSES_MAX = 8;
