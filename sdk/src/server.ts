import type { Asked } from "./answer.ts";
import { CookieJar } from "./cookie-jar.ts";

const TIMEOUT_DEFAULT_MS = 30_000;
const TIMEOUT_LIMIT_MS = 600_000;
const RETRIES_LIMIT = 10;
/** A shorter secret is a placeholder: redacting it would remove words of the answer too. */
const SECRET_LENGTH_LEAST = 16;

/** The options of a client. */
export interface ClientOptions {
  /** The server's public address, such as `https://push.example.org`, parsed by `serverAddress`. */
  readonly baseUrl: string;
  /** Sends notifications and manages teams. */
  readonly apiKey?: string;
  /** Signs in to the app API without a session. */
  readonly accessToken?: string;
  /** The jar for session cookies; by default one of its own. */
  readonly session?: CookieJar;
  /** Must honour `redirect: "manual"`; by default the platform's. */
  readonly fetch?: Fetch;
  /** The longest attempt, 1 to 600,000; 30,000 by default. */
  readonly timeoutMs?: number;
  /** How often a send or a read is repeated after a temporary failure, 0 to 10; 0 by default. */
  readonly retries?: number;
}

/** The part of the platform's `fetch` that a client needs. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** The server of a client, with its settings. */
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

/** Returns the server of the options; throws a TypeError for an unusable address or number. */
export function parseServer(options: ClientOptions): Server {
  const { timeoutMs = TIMEOUT_DEFAULT_MS, retries = 0 } = options;
  requireWhole("timeoutMs", timeoutMs, { least: 1, most: TIMEOUT_LIMIT_MS });
  requireWhole("retries", retries, { least: 0, most: RETRIES_LIMIT });
  const base = serverAddress(options.baseUrl);
  const { origin, host } = new URL(base);
  return {
    base,
    origin,
    host,
    apiKey: options.apiKey ?? null,
    accessToken: options.accessToken ?? null,
    session: options.session ?? new CookieJar(),
    // Called through a closure: a browser's fetch refuses any `this` but its window.
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    timeoutMs,
    retries,
  };
}

/** Returns what an error may say of a request, and the secrets it must not. */
export function askedOf(
  server: Server,
  call: { readonly operation: string; readonly secret?: string },
): Asked {
  const secrets = [server.apiKey, server.accessToken, call.secret ?? null];
  return {
    operation: call.operation,
    host: server.host,
    secrets: secrets
      .filter((secret) => secret !== null)
      .filter((secret) => secret.length >= SECRET_LENGTH_LEAST),
  };
}

/** The root of an API and everything below it, as documented requests show them after the address. */
const API_PATH = /\/api\/(?:(?:app|management)\/)?v1(?:\/.*)?$/;

/**
 * Returns the address of a server without a trailing slash and without the path of an API or request, which people copy
 * with it: `https://push.example.org/api/v1` becomes `https://push.example.org`. Keeps any other path. Throws a
 * TypeError for an address that no server can have.
 */
export function serverAddress(text: string): string {
  const { origin, pathname } = parseAddress(text);
  return `${origin}${pathname.replace(API_PATH, "").replace(/\/+$/, "")}`;
}

/** The messages omit the address itself, which may contain a password. */
function parseAddress(baseUrl: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new TypeError("baseUrl must be an absolute http: or https: URL.");
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new TypeError("baseUrl must have no user info, query or fragment.");
  }
  return url;
}

function requireWhole(
  name: string,
  value: number,
  { least, most }: { readonly least: number; readonly most: number },
): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new TypeError(`${name} must be a whole number from ${least} to ${most}.`);
}
