import type { FastifyRequest } from "fastify";
import type { ErrorCode } from "#errors.ts";

/**
 * An API of the server, which determines the statuses and the format of errors. `receipts` are the operations of a key
 * on its incidents and prompts.
 */
export type ApiName = "notification" | "receipts" | "management" | "app";

/** Returns the API of a request, by its route, because the request line of a proxy may contain a whole URL. */
export function getApiName(request: FastifyRequest): ApiName {
  return getApiNameOfPath(request.routeOptions.url ?? request.url);
}

/** Returns the API that a path belongs to. */
export function getApiNameOfPath(path: string): ApiName {
  if (path.startsWith("/api/management/")) return "management";
  if (RECEIPT_PATHS.test(path)) return "receipts";
  return path.startsWith("/api/app/") || path.startsWith("/api/auth/") ? "app" : "notification";
}

const RECEIPT_PATHS = /^\/api\/v1\/(?:incidents|prompts)(?:\/|$)/;

/** The content of an error response. */
export interface ErrorResponse {
  readonly code: ErrorCode;
  readonly message: string;
  readonly field: string | null;
  readonly requestId: string;
}

/** Returns the JSON body of an error: with a string code on the management API, with an object on the others. */
export function toErrorBody(apiName: ApiName, { code, message, field, requestId }: ErrorResponse) {
  if (apiName === "management") return { success: false, error: code, message };
  const error = field === null ? { code, requestId } : { code, field, requestId };
  return { success: false, message, error };
}

/**
 * Returns the status of an error. The notification and management APIs have fewer statuses than the others: 400 for all
 * errors except key errors, rate limits and server errors.
 */
export function toErrorStatus(apiName: ApiName, code: ErrorCode): number {
  const status = STATUS_BY_CODE[code];
  const isStatusShared = status === 401 || status === 500 || code === "rate_limited";
  const hasAllStatuses = apiName === "app" || apiName === "receipts";
  return hasAllStatuses || isStatusShared ? status : 400;
}

const STATUS_BY_CODE: Readonly<Record<ErrorCode, number>> = {
  invalid_json: 400,
  unsupported_content_type: 400,
  invalid_field: 400,
  invalid_email: 400,
  body_too_large: 400,
  invalid_request: 400,
  idempotency_mismatch: 400,
  preview_blocked: 400,
  post_only: 400,
  missing_key: 401,
  invalid_key: 401,
  wrong_key_kind: 401,
  unauthenticated: 401,
  forbidden: 403,
  password_required: 403,
  wrong_account: 403,
  account_suspended: 403,
  sign_up_closed: 403,
  invitation_required: 403,
  unknown_group: 400,
  unknown_team: 400,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  last_owner: 409,
  not_ringing: 409,
  prompt_closed: 409,
  too_many: 429,
  invite_limit: 429,
  expired: 400,
  rate_limited: 429,
  unavailable: 500,
  internal: 500,
};
