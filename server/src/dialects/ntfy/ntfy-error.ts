import { AppError, type ErrorCode } from "#errors.ts";
import type { ForeignError } from "../dialect.ts";

/** The text of each error, by its code, which is its status with two further digits (binwiederhier/ntfy: server/errors.go). */
const NTFY_ERROR_TEXTS = {
  40000: "invalid request",
  40001: "e-mail notifications are not enabled",
  40004: "invalid delay parameter: this server sends at once",
  40007: "invalid priority parameter",
  40008: "invalid since parameter",
  40009: "invalid request: topic invalid",
  40010: "invalid request: topic name is not allowed",
  40013: "invalid request: attachment URL is invalid",
  40016: "invalid request: client not using the websocket protocol",
  40017: "invalid request: request body must be message JSON",
  40018: "invalid request: actions invalid",
  40021: "invalid request: icon URL is invalid",
  40023: "invalid request: no token provided",
  40024: "invalid request: request body must be valid JSON",
  40032: "invalid request: calling is disabled",
  40045: "invalid request: this server has no templates",
  40101: "unauthorized",
  40301: "forbidden",
  40401: "page not found",
  41303: "request body too large",
  42901: "limit reached: too many requests",
  42909: "limit reached: too many auth failures",
  50001: "internal server error",
} as const;

/** The code of an error of ntfy. */
type NtfyErrorCode = keyof typeof NTFY_ERROR_TEXTS;

/** A mistake of the caller that has a code of its own in ntfy. Comments name the error by its code: "throws 40018". */
export class NtfyError extends AppError {
  readonly ntfyCode: NtfyErrorCode;

  constructor(ntfyCode: NtfyErrorCode, detail: string | null = null) {
    super("invalid_request", createText(ntfyCode, detail));
    this.name = "NtfyError";
    this.ntfyCode = ntfyCode;
  }
}

/** The codes of ntfy for ours; 40000 for any other. */
const NTFY_CODES: Readonly<Partial<Record<ErrorCode, NtfyErrorCode>>> = {
  missing_key: 40301,
  forbidden: 40301,
  invalid_key: 40101,
  unauthenticated: 40101,
  not_found: 40401,
  body_too_large: 41303,
  rate_limited: 42901,
  too_many: 42909,
  unavailable: 50001,
  internal: 50001,
};

/** The codes whose text does not say what is wrong. */
const CODES_WITH_DETAIL: ReadonlySet<NtfyErrorCode> = new Set([40000, 50001]);

/** Returns an error as ntfy writes it. Clients pass the members of the body as arguments, so it has no others. */
export function describeNtfyError(error: AppError): ForeignError {
  const code = error instanceof NtfyError ? error.ntfyCode : (NTFY_CODES[error.code] ?? 40000);
  const detail = CODES_WITH_DETAIL.has(code) ? error.message : null;
  const text = error instanceof NtfyError ? error.message : createText(code, detail);
  const status = Math.floor(code / 100);
  return { status, body: { code, http: status, error: text } };
}

function createText(code: NtfyErrorCode, detail: string | null): string {
  const text = NTFY_ERROR_TEXTS[code];
  return detail === null ? text : `${text}; ${detail}`;
}
