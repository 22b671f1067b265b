import type { ErrorContext } from "./response.ts";
import { CookieJar } from "./cookie-jar.ts";

const TIMEOUT_DEFAULT_MS = 30_000;
const TIMEOUT_MAX_MS = 600_000;
const RETRIES_MAX = 10;
/** Shorter secrets are placeholders: redacting them would also remove ordinary words of the response. */
const SECRET_LENGTH_MIN = 16;

/** The server that a client calls, its credentials, and its timeouts and retries. */
export interface ClientOptions {
  /** The server's public URL, such as `https://push.example.org`; `normalizeBaseUrl` parses it. */
  readonly baseUrl: string;
  /** The API key that sends notifications and manages teams. */
  readonly apiKey?: string;
  /** The token that signs in to the app API instead of a session. */
  readonly accessToken?: string;
  /** The jar for session cookies; by default a new, empty jar. */
  readonly session?: CookieJar;
  /** Must support `redirect: "manual"`; by default the platform's `fetch`. */
  readonly fetch?: Fetch;
  /** The timeout of each attempt, 1 to 600,000; 30,000 by default. */
  readonly timeoutMs?: number;
  /** The number of retries of a send or a read after temporary failures, 0 to 10; 0 by default. */
  readonly retries?: number;
}

/** The part of the platform's `fetch` that a client needs. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** The server of a client, with the client's settings. */
export interface Server {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly origin: string;
  readonly host: string;
  readonly apiKey: string | null;
  readonly accessToken: string | null;
  readonly cookieJar: CookieJar;
  readonly fetch: Fetch;
  readonly timeoutMs: number;
  readonly retries: number;
}

/** Returns the server of the options; throws a TypeError for an invalid base URL, timeout or number of retries. */
export function parseClientOptions(options: ClientOptions): Server {
  const { timeoutMs = TIMEOUT_DEFAULT_MS, retries = 0 } = options;
  requireInteger("timeoutMs", timeoutMs, { min: 1, max: TIMEOUT_MAX_MS });
  requireInteger("retries", retries, { min: 0, max: RETRIES_MAX });
  const baseUrl = normalizeBaseUrl(options.baseUrl);
  const { origin, host } = new URL(baseUrl);
  return {
    baseUrl,
    origin,
    host,
    apiKey: options.apiKey ?? null,
    accessToken: options.accessToken ?? null,
    cookieJar: options.session ?? new CookieJar(),
    // Called through a closure, because a browser's `fetch` accepts only its window as `this`.
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    timeoutMs,
    retries,
  };
}

/** Returns the parts of a request that error messages may show, and the secrets that they must not contain. */
export function createErrorContext(
  server: Server,
  call: { readonly operation: string; readonly secret?: string },
): ErrorContext {
  const secrets = [server.apiKey, server.accessToken, call.secret ?? null];
  return {
    operation: call.operation,
    host: server.host,
    secrets: secrets
      .filter((secret) => secret !== null)
      .filter((secret) => secret.length >= SECRET_LENGTH_MIN),
  };
}

/** The path of an API and everything below that path, as documentation shows them after the base URL. */
const API_PATH_PATTERN = /\/api\/(?:(?:app|management)\/)?v1(?:\/.*)?$/;

/**
 * Returns the base URL of a server without a trailing slash and without the path of an API or request, which users
 * often copy with it: `https://push.example.org/api/v1` becomes `https://push.example.org`. Keeps any other path.
 * Throws a TypeError for a URL that no server can have.
 */
export function normalizeBaseUrl(text: string): string {
  const { origin, pathname } = parseBaseUrl(text);
  return `${origin}${pathname.replace(API_PATH_PATTERN, "").replace(/\/+$/, "")}`;
}

/** Error messages omit the URL itself, which may contain a password. */
function parseBaseUrl(baseUrl: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new TypeError("baseUrl must be an absolute http: or https: URL.");
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new TypeError("baseUrl must have no user info, query or fragment.");
  }
  return url;
}

function requireInteger(
  name: string,
  value: number,
  { min, max }: { readonly min: number; readonly max: number },
): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw new TypeError(`${name} must be a whole number from ${min} to ${max}.`);
}
