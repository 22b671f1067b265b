/** Every mistake of a caller that the server names, on all its surfaces. */
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
  // who
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
  // what
  | "unknown_group"
  | "unknown_team"
  | "not_found"
  | "method_not_allowed"
  | "conflict"
  | "last_owner"
  | "invite_limit"
  | "expired"
  // how much
  | "rate_limited"
  // us
  | "unavailable"
  | "internal";

/** What an error may say beyond its code and message. */
export interface ErrorDetails {
  /** The field of the request that the caller must mend. */
  readonly field?: string;
  /** How long to wait before trying again. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** A mistake of the caller, or a state of ours that the caller can wait out; `http/` turns its code into a status. */
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

/** Returns the error for one field of a request, its message naming the field and how to mend it. */
export function invalidField(field: string, message: string): AppError {
  return new AppError("invalid_field", message, { field });
}

/** Returns an error and what caused it, the deepest first, since that is the most exact; empty for what is no error. */
export function causesOf(error: unknown): readonly Error[] {
  const causes: Error[] = [];
  for (let cause = error; cause instanceof Error && causes.length < CAUSES_MAX;) {
    causes.unshift(cause);
    cause = cause.cause;
  }
  return causes;
}

/** A chain of causes may be a circle. */
const CAUSES_MAX = 8;
