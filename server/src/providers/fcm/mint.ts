import type { Dispatcher } from "undici";
import { createUncountedRetry } from "../outcomes.ts";
import type { Outcome } from "../provider.ts";
import { signAssertion } from "./assertion.ts";
import { isHtml, parseJsonObject } from "../json.ts";
import { createNoDescriptorOutcome } from "../http2/unanswered.ts";
import { NoDescriptorError } from "../no-descriptor.ts";
import { post, type PushServiceResponse } from "../post.ts";
import { parseRetryAfterMs } from "../retry-after.ts";
import type { ServiceAccount } from "./service-account.ts";

/** The service account and the endpoint that an access token comes from. */
export interface MintDeps {
  readonly credentials: ServiceAccount;
  /** The token endpoint; `TOKEN_URL` unless an emulator replaces Google. */
  readonly tokenUrl: string;
  readonly dispatcher: Dispatcher;
  readonly now: () => number;
}

/**
 * A new access token, or why there is none. `clockErrorMs` is how far our clock is ahead of the token endpoint's,
 * negative if it is behind, null if unknown.
 */
export type MintResult = { readonly clockErrorMs: number | null } & (
  | { readonly kind: "minted"; readonly token: string; readonly ttlMs: number }
  | {
      readonly kind: "failed";
      readonly outcome: MintFailure;
      /** The endpoint's error code (RFC 6749 section 5.2); null if it is unknown or missing. */
      readonly errorCode: string | null;
    }
);

/** The outcome of an attempt without an access token. */
export type MintFailure = Extract<Outcome, { readonly kind: "retry" | "refused" }>;

/** Google's token endpoint. A constant, because a key file could send our assertions to another server. */
export const TOKEN_URL = "https://oauth2.googleapis.com/token";

/** A difference of at least this size means a wrong clock, not a slow network. */
export const CLOCK_TOLERANCE_MS = 60_000;

const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:jwt-bearer";
/** The maximum lifetime of a token. Longer grants are shortened to it. */
const TTL_MAX_S = 3_600;
const ERROR_CODES: ReadonlySet<string> = new Set([
  "access_denied",
  "deleted_client",
  "disabled_client",
  "invalid_client",
  "invalid_grant",
  "invalid_request",
  "invalid_scope",
  "unauthorized_client",
  "unsupported_grant_type",
]);

/**
 * Exchanges a signed assertion for an access token. If that fails, returns the outcome of the attempts that need a token.
 */
export async function mintAccessToken(deps: MintDeps, signal: AbortSignal): Promise<MintResult> {
  const { credentials, tokenUrl, dispatcher, now } = deps;
  const url = new URL(tokenUrl);
  // Google accepts only assertions for this URL, and emulators only for their own.
  const assertion = await signAssertion({ credentials, audience: tokenUrl, now: now() });
  const exchange = await post(dispatcher, {
    url,
    headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
    body: Buffer.from(new URLSearchParams({ grant_type: GRANT_TYPE, assertion }).toString()),
    signal,
  });
  if (exchange.kind !== "answered") {
    const isLocalFailure = exchange.error instanceof NoDescriptorError;
    const { host } = url;
    const outcome = isLocalFailure
      ? createNoDescriptorOutcome(host)
      : createUncountedRetry({ code: "unreachable", detail: host });
    return { kind: "failed", outcome, errorCode: null, clockErrorMs: null };
  }
  return interpretTokenResponse(exchange.response, { host: url.host, now: now() });
}

/** Returns the meaning of the token endpoint's response. */
export function interpretTokenResponse(
  response: PushServiceResponse,
  { host, now }: { readonly host: string; readonly now: number },
): MintResult {
  const { status, headers, body } = response;
  const clockErrorMs = measureClockError(headers["date"], now);
  if (status === 200) {
    const grant = parseGrant(body);
    if (grant !== null) return { kind: "minted", ...grant, clockErrorMs };
  }
  if (status < 400 || status === 408 || status === 429 || status >= 500 || isHtml(body)) {
    const afterMs = parseRetryAfterMs(headers["retry-after"], now);
    const reason = { code: "transient", detail: `${host} answered ${status}` } as const;
    const outcome = createUncountedRetry(reason, afterMs);
    return { kind: "failed", outcome, errorCode: null, clockErrorMs };
  }
  const errorCode = parseErrorCode(body);
  const detail = `${host} answered ${status}${describeErrorCode(errorCode, clockErrorMs)}`;
  const reason = { code: "provider_misconfigured", detail } as const;
  const outcome = { kind: "refused", reason } as const;
  return { kind: "failed", outcome, errorCode, clockErrorMs };
}

function parseGrant(body: string): { token: string; ttlMs: number } | null {
  const { access_token: token, expires_in: ttlS } = parseJsonObject(body) ?? {};
  // The token is sent as a header, so it must be printable ASCII.
  if (typeof token !== "string" || !/^[\x21-\x7e]+$/u.test(token)) return null;
  if (typeof ttlS !== "number" || !(ttlS > 0)) return null;
  return { token, ttlMs: Math.min(ttlS, TTL_MAX_S) * 1000 };
}

function parseErrorCode(body: string): string | null {
  const code = parseJsonObject(body)?.["error"];
  return typeof code === "string" && ERROR_CODES.has(code) ? code : null;
}

/** Returns the error code with its cause. Google sends `invalid_grant` both for a wrong time and for an unknown key. */
function describeErrorCode(errorCode: string | null, clockErrorMs: number | null): string {
  if (errorCode === null) return "";
  if (errorCode !== "invalid_grant") return ` ${errorCode}`;
  if (clockErrorMs === null || Math.abs(clockErrorMs) < CLOCK_TOLERANCE_MS) {
    return " invalid_grant: the key was deleted, or this server's clock is wrong";
  }
  return ` invalid_grant: this server's clock is ${describeClockError(clockErrorMs)}`;
}

/** Returns a clock's error in words: `10 minutes ahead`. */
export function describeClockError(clockErrorMs: number): string {
  const minutes = Math.max(1, Math.round(Math.abs(clockErrorMs) / 60_000));
  return `${minutes} minute${minutes === 1 ? "" : "s"} ${clockErrorMs > 0 ? "ahead" : "behind"}`;
}

function measureClockError(header: string | string[] | undefined, now: number): number | null {
  const endpointTime = typeof header === "string" ? Date.parse(header) : Number.NaN;
  return Number.isNaN(endpointTime) ? null : now - endpointTime;
}
