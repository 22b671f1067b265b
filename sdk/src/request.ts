import type { Server } from "./server.ts";

/** Options of every operation, in addition to its input. */
export interface CallOptions {
  /** Aborts the operation, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** One request to the server, before its credentials are added. */
export interface Call<Operation extends string = string> extends CallOptions {
  /** The name of the client's method, for errors. */
  readonly operation: Operation;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** The segments below the base URL, before encoding. */
  readonly path: readonly string[];
  /** Null and undefined values are omitted. */
  readonly query?: object;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * `key`: the API key; `account`: the access token, else the session; `session`: only the session; `none`: nothing.
   */
  readonly auth: "key" | "account" | "session" | "none";
  /** How long the server may wait on purpose before it responds, in addition to the timeout. */
  readonly waitMs?: number;
  /** A secret to remove from every error, in addition to the client's own. */
  readonly secret?: string;
}

/** Returns the request of a call, for `fetch`; throws a TypeError for an id that cannot be a path segment. */
export function createRequest(server: Server, call: Call): { url: string; init: RequestInit } {
  const query = formatQuery(call.query ?? {});
  const headers: Record<string, string> = {
    accept: "application/json",
    ...createCredentialHeaders(server, call.auth),
    ...call.headers,
  };
  const init: RequestInit = { method: call.method, headers, redirect: "manual" };
  if (call.body !== undefined) {
    headers["content-type"] = "application/json";
    init.body = JSON.stringify(call.body);
  }
  const path = call.path.map((segment) => `/${encodeSegment(segment)}`).join("");
  return { url: `${server.baseUrl}${path}${query === "" ? "" : `?${query}`}`, init };
}

function createCredentialHeaders(server: Server, auth: Call["auth"]): Record<string, string> {
  if (auth === "none") return {};
  if (auth === "key") return server.apiKey === null ? {} : { "x-api-key": server.apiKey };
  if (auth === "account" && server.accessToken !== null) {
    return { authorization: `Bearer ${server.accessToken}` };
  }
  // A browser ignores both headers and sets its own; other runtimes must send the origin for the server's CSRF check.
  const cookie = server.cookieJar.header();
  return cookie === null ? { origin: server.origin } : { origin: server.origin, cookie };
}

/** A URL drops dot segments (WHATWG URL section 4.4), and an empty segment would name another resource. */
function encodeSegment(segment: string): string {
  if (/^\.{0,2}$/.test(segment)) throw new TypeError("An id or key must not be empty or dots.");
  return encodeURIComponent(segment);
}

function formatQuery(query: object): string {
  const entries = Object.entries(query).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  return new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString();
}
