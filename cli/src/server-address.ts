import { usageError } from "./command.ts";

/** Where a server is when nobody says so: on this machine. */
export const URL_DEFAULT = "http://localhost:8080";

/** Returns what `make` does with the address; throws a usage error for one that no server can have. */
export function withAddress<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const form = "an address such as https://push.example.org, without user or query";
    throw usageError(`The server (--url or TOCSIN_URL) must be ${form}.`, error);
  }
}

/** Returns whether what goes to the address can be read by nobody on the way: by TLS, or as it stays on this machine. */
export function isPrivate(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  if (protocol === "https:") return true;
  // RFC 6761 section 6.3, RFC 1122 section 3.2.1.3 and RFC 4291 section 2.5.3.
  return /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

/** Returns whether two addresses name the same server. */
export function isSameServer(one: string, other: string): boolean {
  return normalized(one) === normalized(other);
}

function normalized(url: string): string {
  return new URL(url).href.replace(/\/+$/, "");
}
