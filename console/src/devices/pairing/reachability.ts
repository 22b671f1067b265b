/** Whether a phone can open a URL and receive notifications. */
export type Reachability =
  | "reachable"
  /** A loopback URL: on a phone, it opens the phone itself. */
  | "local"
  /** The page may open, but browsers allow no notifications without https. */
  | "insecure";

/** Returns whether a phone can open a URL of this server and receive notifications. */
export function getReachability(url: string): Reachability {
  const { hostname, protocol } = new URL(url);
  if (LOOPBACK_HOST.test(hostname)) return "local";
  return protocol === "https:" ? "reachable" : "insecure";
}

/** Hosts of the device itself: RFC 6761 section 6.3, RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3. */
const LOOPBACK_HOST = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0)$/;
