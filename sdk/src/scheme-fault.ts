import type { SchemeFault } from "./errors.ts";

/** The number of nested causes of an error that are inspected. */
const CAUSE_DEPTH_MAX = 8;

/** The client speaks TLS and the server does not: messages of Node and browsers for OpenSSL, of Bun, and of Deno. */
const NOT_TLS_PATTERN =
  /ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG|TLS handshake failed\. Does the server speak TLS|InvalidContentType/;
/** The client speaks HTTP and the response is not HTTP: messages of Node and Deno. */
const NOT_HTTP_PATTERN = /does not match the HTTP|HPE_INVALID_|invalid HTTP version/;
/** The client speaks HTTP and the connection closed without a response: messages of Node, Bun and Deno. */
const CONNECTION_CLOSED_PATTERN =
  /UND_ERR_SOCKET|ECONNRESET|connection closed before message completed/;

/** Responses of nginx, Apache and Go servers such as Caddy to plain HTTP on a port for HTTPS. */
const HTTPS_EXPECTED_PATTERN =
  /plain HTTP request was sent to HTTPS port|speaking plain HTTP to an SSL-enabled server port|sent an HTTP request to an HTTPS server/;

/**
 * Returns the scheme fault that an error of `fetch` suggests. Runtimes report it only in their messages; browsers do
 * not report it at all.
 */
export function detectSchemeFault(cause: unknown, protocol: string): SchemeFault | null {
  const messages = collectMessages(cause);
  if (protocol === "https:") return NOT_TLS_PATTERN.test(messages) ? "not_https" : null;
  if (NOT_HTTP_PATTERN.test(messages)) return "not_http";
  return CONNECTION_CLOSED_PATTERN.test(messages) ? "maybe_not_http" : null;
}

/** Returns whether a response to `http:` says that the server expects `https:`. */
export function isHttpsExpected({ status, text }: { status: number; text: string }): boolean {
  return status === 400 && HTTPS_EXPECTED_PATTERN.test(text);
}

function collectMessages(error: unknown): string {
  const lines: string[] = [];
  let cause = error;
  for (let depth = 0; cause instanceof Error && depth < CAUSE_DEPTH_MAX; depth += 1) {
    lines.push("code" in cause ? String(cause.code) : "", cause.message);
    cause = cause.cause;
  }
  return lines.join("\n");
}
