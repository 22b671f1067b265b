import type { SchemeFault } from "./errors.ts";

/** How many causes of an error are inspected. */
const CAUSE_DEPTH_LIMIT = 8;

/** TLS was started, and the answer is not TLS: messages of Node and browsers for OpenSSL, of Bun, and of Deno. */
const NO_TLS =
  /ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG|TLS handshake failed\. Does the server speak TLS|InvalidContentType/;
/** HTTP was sent, and the answer is not HTTP: messages of Node, and of Deno. */
const NO_HTTP = /does not match the HTTP|HPE_INVALID_|invalid HTTP version/;
/** HTTP was sent, and the connection closed without an answer: messages of Node, Bun and Deno. */
const CLOSED = /UND_ERR_SOCKET|ECONNRESET|connection closed before message completed/;

/** Answers of nginx, Apache, and servers in Go such as Caddy to http: on a port for https:. */
const ASKED_WITHOUT_TLS =
  /plain HTTP request was sent to HTTPS port|speaking plain HTTP to an SSL-enabled server port|sent an HTTP request to an HTTPS server/;

/**
 * Returns the wrong scheme that an error of `fetch` suggests; runtimes report it only in their messages, and browsers
 * not at all.
 */
export function schemeFaultOf(cause: unknown, protocol: string): SchemeFault | null {
  const said = textOf(cause);
  if (protocol === "https:") return NO_TLS.test(said) ? "not_https" : null;
  if (NO_HTTP.test(said)) return "not_http";
  return CLOSED.test(said) ? "maybe_not_http" : null;
}

/** Returns whether an answer to http: says that the server expects https:. */
export function saysHttpsExpected({ status, text }: { status: number; text: string }): boolean {
  return status === 400 && ASKED_WITHOUT_TLS.test(text);
}

function textOf(error: unknown): string {
  const texts: string[] = [];
  let cause = error;
  for (let depth = 0; cause instanceof Error && depth < CAUSE_DEPTH_LIMIT; depth += 1) {
    texts.push("code" in cause ? String(cause.code) : "", cause.message);
    cause = cause.cause;
  }
  return texts.join("\n");
}
