import { listCauses } from "../errors.ts";

/** Returns the host and the name of a database for display, without user and password. */
export function parseDatabaseAddress(url: string): {
  readonly server: string;
  readonly name: string;
} {
  const { host, pathname } = new URL(url);
  return { server: host === "" ? "its socket" : host, name: pathname.slice(1) };
}

/** A PostgreSQL database, and the setting that names it to an operator. */
export interface NamedDatabase {
  readonly url: string;
  /** `TOCSIN_DATABASE_URL` by default. */
  readonly setting?: string;
}

/**
 * Returns one line with the reason why PostgreSQL cannot be used, and the fix; null for any other error. It contains
 * no secret.
 */
export function explainPostgresFailure(error: unknown, database: NamedDatabase): string | null {
  for (const cause of listCauses(error)) {
    const reason = explainCause(cause, database);
    if (reason !== null) return reason;
  }
  return null;
}

function explainCause(
  error: Error,
  { url, setting = "TOCSIN_DATABASE_URL" }: NamedDatabase,
): string | null {
  const { server, name } = parseDatabaseAddress(url);
  const code = "code" in error ? String(error.code) : "";
  if ("syscall" in error && !isAboutDatabase(error, url)) return null;
  if (UNKNOWN_NAME_CODES.has(code)) {
    return `No name server knows the address of PostgreSQL, ${server}. Correct ${setting}.`;
  }
  if (UNREACHABLE_CODES.has(code) || UNREACHABLE_MESSAGES.test(error.message)) {
    return `PostgreSQL does not answer at ${server}. Start it, or correct ${setting}.`;
  }
  // Appendix A of PostgreSQL's manual lists these codes.
  switch (code) {
    case "28P01":
    case "28000":
      return `PostgreSQL at ${server} refuses the user or the password. Correct ${setting}.`;
    case "3D000":
      return `PostgreSQL at ${server} has no database ${name}. Create it, or correct ${setting}.`;
    case "42501":
      return `The user of ${setting} may not create tables in ${name}. Make it the owner of the database.`;
    case "57P03":
      return `PostgreSQL at ${server} is starting or stopping. Try again shortly.`;
    case "53300":
      return `PostgreSQL at ${server} has no free connection. Raise its max_connections.`;
    default:
      return null;
  }
}

const UNKNOWN_NAME_CODES: ReadonlySet<string> = new Set(["ENOTFOUND", "EAI_AGAIN", "EAI_NONAME"]);
const UNREACHABLE_CODES: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
]);
/** The messages of connection errors without a code. */
const UNREACHABLE_MESSAGES =
  /^timeout exceeded when trying to connect|^Connection terminated|^Query read timeout/;

/** Returns whether a system error concerns the database. The HTTP server also looks up a name when it starts. */
function isAboutDatabase(error: Error & { readonly syscall: unknown }, url: string): boolean {
  if (error.syscall !== "getaddrinfo")
    return error.syscall === "connect" || error.syscall === "read";
  return "hostname" in error && error.hostname === new URL(url).hostname;
}
