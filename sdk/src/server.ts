import type { RequestContext } from "./answer.ts";
import { CookieJar } from "./cookie-jar.ts";

const TIMEOUT_DEFAULT_MS = 30_000;
const TIMEOUT_LIMIT_MS = 600_000;
const RETRIES_LIMIT = 10;
/** A shorter secret is a placeholder: redacting it would also remove ordinary words of the response. */
const SECRET_LENGTH_MIN = 16;

/** The options of a client. */
export interface ClientOptions {
  /** The server's public URL, such as `https://push.example.org`; `serverAddress` parses it. */
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
  readonly base: string;
  readonly origin: string;
  readonly host: string;
  readonly apiKey: string | null;
  readonly accessToken: string | null;
  readonly session: CookieJar;
  readonly fetch: Fetch;
  readonly timeoutMs: number;
  readonly retries: number;
}

/** Returns the server of the options; throws a TypeError for an invalid base URL, timeout or number of retries. */
export function parseServer(options: ClientOptions): Server {
  const { timeoutMs = TIMEOUT_DEFAULT_MS, retries = 0 } = options;
  requireInteger("timeoutMs", timeoutMs, { min: 1, max: TIMEOUT_LIMIT_MS });
  requireInteger("retries", retries, { min: 0, max: RETRIES_LIMIT });
  const base = serverAddress(options.baseUrl);
  const { origin, host } = new URL(base);
  return {
    base,
    origin,
    host,
    apiKey: options.apiKey ?? null,
    accessToken: options.accessToken ?? null,
    session: options.session ?? new CookieJar(),
    // Called through a closure, because a browser's `fetch` accepts only its window as `this`.
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    timeoutMs,
    retries,
  };
}

/** Returns the parts of a request that errors may show, and the secrets that they must not. */
export function requestContext(
  server: Server,
  call: { readonly operation: string; readonly secret?: string },
): RequestContext {
  const secrets = [server.apiKey, server.accessToken, call.secret ?? null];
  return {
    operation: call.operation,
    host: server.host,
    secrets: secrets
      .filter((secret) => secret !== null)
      .filter((secret) => secret.length >= SECRET_LENGTH_MIN),
  };
}

/** The root of an API and everything below it, as documentation shows them after the base URL. */
const API_PATH = /\/api\/(?:(?:app|management)\/)?v1(?:\/.*)?$/;

/**
 * Returns the base URL of a server without a trailing slash and without the path of an API or request, which users often
 * copy with it: `https://push.example.org/api/v1` becomes `https://push.example.org`. Keeps any other path. Throws a
 * TypeError for a URL that no server can have.
 */
export function serverAddress(text: string): string {
  const { origin, pathname } = parseBaseUrl(text);
  return `${origin}${pathname.replace(API_PATH, "").replace(/\/+$/, "")}`;
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
