import type { SchemeFault } from "./errors.ts";

/** How many causes of an error are looked into. */
const CAUSE_DEPTH_LIMIT = 8;

/** TLS was begun, and the answer is no record of it: the words of Node and browsers on OpenSSL, of Bun, and of Deno. */
const NO_TLS =
  /ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG|TLS handshake failed\. Does the server speak TLS|InvalidContentType/;
/** HTTP was begun, and the answer is none: the words of Node, and of Deno. */
const NO_HTTP = /does not match the HTTP|HPE_INVALID_|invalid HTTP version/;
/** HTTP was begun, and the connection was closed without an answer: the words of Node, Bun and Deno. */
const CLOSED = /UND_ERR_SOCKET|ECONNRESET|connection closed before message completed/;

/** What nginx, Apache, and servers in Go such as Caddy answer where they are asked by http: on a port for https:. */
const ASKED_WITHOUT_TLS =
  /plain HTTP request was sent to HTTPS port|speaking plain HTTP to an SSL-enabled server port|sent an HTTP request to an HTTPS server/;

/** Returns whether what `fetch` threw hints at a wrong scheme; no runtime says it in a form of its own, and browsers say nothing. */
export function schemeFaultOf(cause: unknown, protocol: string): SchemeFault | null {
  const said = textOf(cause);
  if (protocol === "https:") return NO_TLS.test(said) ? "not_https" : null;
  if (NO_HTTP.test(said)) return "not_http";
  return CLOSED.test(said) ? "maybe_not_http" : null;
}

/** Returns whether an answer says that the server speaks https: where it was asked by http:. */
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
