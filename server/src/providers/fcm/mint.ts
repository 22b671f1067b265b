import type { Dispatcher } from "undici";
import { unsent } from "../outcomes.ts";
import type { Outcome } from "../provider.ts";
import { signAssertion } from "./assertion.ts";
import { isHtml, parseObject } from "../json.ts";
import { notAsked } from "../http2/unanswered.ts";
import { NoDescriptorError } from "../no-descriptor.ts";
import { post } from "../post.ts";
import type { Answer } from "../post.ts";
import { retryAfterMs } from "../retry-after.ts";
import type { ServiceAccount } from "./service-account.ts";

export interface MintSettings {
  readonly credentials: ServiceAccount;
  /** The token endpoint; `TOKEN_URL` unless an emulator replaces Google. */
  readonly tokenUrl: string;
  readonly dispatcher: Dispatcher;
  readonly now: () => number;
}

/** `clockErrorMs` is how far our clock is ahead of the token endpoint's, negative if it is behind, null if unknown. */
export type Minting = { readonly clockErrorMs: number | null } & (
  | { readonly kind: "minted"; readonly token: string; readonly lifetimeMs: number }
  | {
      readonly kind: "failed";
      readonly outcome: MintFailure;
      /** The endpoint's code, if it is a published one (RFC 6749 section 5.2). */
      readonly errorCode: string | null;
    }
);

export type MintFailure = Extract<Outcome, { readonly kind: "retry" | "refused" }>;

/** Google's token endpoint. A constant, because a key file could send our assertions to another server. */
export const TOKEN_URL = "https://oauth2.googleapis.com/token";

/** A larger difference means a wrong clock, not a slow network. */
export const CLOCK_TOLERANCE_MS = 60_000;

const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:jwt-bearer";
/** The longest lifetime that is accepted. Longer grants are shortened to it. */
const LIFETIME_MAX_S = 3_600;
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

/** Exchanges an assertion for an access token. Returns the outcome for senders if that fails. */
export async function mint(settings: MintSettings, signal: AbortSignal): Promise<Minting> {
  const { credentials, tokenUrl, dispatcher, now } = settings;
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
    const outcome = isLocalFailure ? notAsked(host) : unsent({ code: "unreachable", detail: host });
    return { kind: "failed", outcome, errorCode: null, clockErrorMs: null };
  }
  return judgeTokenAnswer(exchange.answer, { host: url.host, now: now() });
}

/** Returns the meaning of the token endpoint's response. */
export function judgeTokenAnswer(
  answer: Answer,
  { host, now }: { readonly host: string; readonly now: number },
): Minting {
  const { status, headers, body } = answer;
  const clockErrorMs = clockError(headers["date"], now);
  if (status === 200) {
    const grant = readGrant(body);
    if (grant !== null) return { kind: "minted", ...grant, clockErrorMs };
  }
  if (status < 400 || status === 408 || status === 429 || status >= 500 || isHtml(body)) {
    const afterMs = retryAfterMs(headers["retry-after"], now);
    const reason = { code: "transient", detail: `${host} answered ${status}` } as const;
    const outcome = unsent(reason, afterMs);
    return { kind: "failed", outcome, errorCode: null, clockErrorMs };
  }
  const errorCode = readErrorCode(body);
  const detail = `${host} answered ${status}${describeErrorCode(errorCode, clockErrorMs)}`;
  const reason = { code: "provider_misconfigured", detail } as const;
  const outcome = { kind: "refused", reason } as const;
  return { kind: "failed", outcome, errorCode, clockErrorMs };
}

function readGrant(body: string): { token: string; lifetimeMs: number } | null {
  const { access_token: token, expires_in: lifetimeS } = parseObject(body) ?? {};
  // The token is sent as a header, so it must be printable ASCII.
  if (typeof token !== "string" || !/^[\x21-\x7e]+$/u.test(token)) return null;
  if (typeof lifetimeS !== "number" || !(lifetimeS > 0)) return null;
  return { token, lifetimeMs: Math.min(lifetimeS, LIFETIME_MAX_S) * 1000 };
}

function readErrorCode(body: string): string | null {
  const code = parseObject(body)?.["error"];
  return typeof code === "string" && ERROR_CODES.has(code) ? code : null;
}

/** Returns the error code with its cause. Google sends `invalid_grant` both for a wrong time and for an unknown key. */
function describeErrorCode(errorCode: string | null, clockErrorMs: number | null): string {
  if (errorCode === null) return "";
  if (errorCode !== "invalid_grant") return ` ${errorCode}`;
  if (clockErrorMs === null || Math.abs(clockErrorMs) < CLOCK_TOLERANCE_MS) {
    return " invalid_grant: the key was deleted, or this server's clock is wrong";
  }
  return ` invalid_grant: this server's clock is ${describeClock(clockErrorMs)}`;
}

/** Returns a clock's error in words: `10 minutes ahead`. */
export function describeClock(clockErrorMs: number): string {
  const minutes = Math.max(1, Math.round(Math.abs(clockErrorMs) / 60_000));
  return `${minutes} minute${minutes === 1 ? "" : "s"} ${clockErrorMs > 0 ? "ahead" : "behind"}`;
}

function clockError(header: string | string[] | undefined, now: number): number | null {
  const endpointTime = typeof header === "string" ? Date.parse(header) : Number.NaN;
  return Number.isNaN(endpointTime) ? null : now - endpointTime;
}
