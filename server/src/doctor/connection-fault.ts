import { listCauses } from "#errors.ts";
import { AddressNotAllowedError } from "#providers/address-guard.ts";

/** The reason why no response arrived. Each kind has its own remedy. */
export interface ConnectionFault {
  readonly kind: "unknown name" | "not public" | "refused" | "silent" | "tls" | "broken";
  /** The system's error code, such as ECONNREFUSED; null if there is none, or if `kind` says as much. */
  readonly code: string | null;
}

/** Classifies a connection error. Omits its message, which may contain secrets. */
export function classifyError(error: unknown): ConnectionFault {
  const causes = listCauses(error);
  const code = causes.map(findErrorCode).find((candidate) => candidate !== null) ?? null;
  if (causes.some((cause) => cause instanceof AddressNotAllowedError)) {
    return { kind: "not public", code: null };
  }
  // Checked before other codes: a name server that refuses queries also causes ECONNREFUSED.
  if (causes.some(isLookupError)) return { kind: "unknown name", code };
  if (code === null) return { kind: causes.some(isTimeout) ? "silent" : "broken", code };
  if (code === "ECONNREFUSED") return { kind: "refused", code };
  if (TIMEOUT_CODES.has(code)) return { kind: "silent", code: null };
  return { kind: TLS_CODE_PATTERN.test(code) ? "tls" : "broken", code };
}

/** Returns the rest of a sentence that begins with the name of the peer. */
export function describeFault({ kind, code }: ConnectionFault): string {
  const hint = code === null ? "" : ` (${code})`;
  switch (kind) {
    case "unknown name":
      return `has no address that this machine's name servers know${hint}`;
    case "not public":
      return "has an address that is not public";
    case "refused":
      return `refuses connections${hint}`;
    case "silent":
      return "does not answer in time";
    case "tls":
      return `offers no secure connection${hint}`;
    case "broken":
      return `breaks the connection off${hint}`;
  }
}

const TIMEOUT_CODES: ReadonlySet<string> = new Set(["ETIMEDOUT", "UND_ERR_CONNECT_TIMEOUT"]);
/** Node's error codes for TLS, and for OpenSSL's certificate verification (X509_V_ERR_…). */
const TLS_CODE_PATTERN =
  /^(ERR_TLS|ERR_SSL|CERT_|CRL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|INVALID_|EPROTO$)/;

function findErrorCode(error: Error): string | null {
  const code = "code" in error ? error.code : null;
  return typeof code === "string" && /^[A-Z][A-Z0-9_]*$/.test(code) ? code : null;
}

function isLookupError(error: Error): boolean {
  return "syscall" in error && /^(getaddrinfo|query)/.test(String(error.syscall));
}

function isTimeout({ name }: Error): boolean {
  return name === "TimeoutError" || name === "AbortError";
}
