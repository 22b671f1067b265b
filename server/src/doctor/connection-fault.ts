import { causesOf } from "#errors.ts";
import { AddressNotAllowedError } from "#providers/webpush/address-guard.ts";

/** The reason that no answer came, as far as it determines the remedy. */
export interface ConnectionFault {
  readonly kind: "unknown name" | "not public" | "refused" | "silent" | "tls" | "broken";
  /** The system's error code, such as ECONNREFUSED. */
  readonly code: string | null;
}

/** Returns the meaning of a connection error; keeps nothing of its message. */
export function faultOf(error: unknown): ConnectionFault {
  const causes = causesOf(error);
  const code = causes.map(codeOf).find((code) => code !== null) ?? null;
  if (causes.some((cause) => cause instanceof AddressNotAllowedError)) {
    return { kind: "not public", code: null };
  }
  // Checked first, as a name server that refuses to answer causes ECONNREFUSED, too.
  if (causes.some(isLookup)) return { kind: "unknown name", code };
  if (code === null) return { kind: causes.some(isTimeout) ? "silent" : "broken", code };
  if (code === "ECONNREFUSED") return { kind: "refused", code };
  if (SILENT.has(code)) return { kind: "silent", code: null };
  return { kind: TLS.test(code) ? "tls" : "broken", code };
}

/** Returns the fault as the end of a sentence that began with the name of the peer. */
export function describeFault({ kind, code }: ConnectionFault): string {
  const hint = code === null ? "" : ` (${code})`;
  switch (kind) {
    case "unknown name":
      return `has no address that this machine's name servers know${hint}`;
    case "not public":
      return "has an address that is not public";
    case "refused":
      return `takes no connections${hint}`;
    case "silent":
      return "does not answer in time";
    case "tls":
      return `offers no safe connection${hint}`;
    case "broken":
      return `breaks the connection off${hint}`;
  }
}

const SILENT: ReadonlySet<string> = new Set(["ETIMEDOUT", "UND_ERR_CONNECT_TIMEOUT"]);
/** Node's codes for OpenSSL's verdicts on certificates (X509_V_ERR_…), and its own. */
const TLS = /^(ERR_TLS|ERR_SSL|CERT_|CRL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|INVALID_|EPROTO$)/;

function codeOf(error: Error): string | null {
  const code = "code" in error ? error.code : null;
  return typeof code === "string" && /^[A-Z][A-Z0-9_]*$/.test(code) ? code : null;
}

function isLookup(error: Error): boolean {
  return "syscall" in error && /^(getaddrinfo|query)/.test(String(error.syscall));
}

function isTimeout({ name }: Error): boolean {
  return name === "TimeoutError" || name === "AbortError";
}
