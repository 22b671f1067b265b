/** Whether a phone can open an address and be notified there. */
export type Reach =
  | "yes"
  /** The address leads every device to itself. */
  | "local"
  /** The page may open, but browsers allow no notifications there. */
  | "insecure";

/** Returns whether a phone can open an address of this server and be notified there. */
export function reachOf(url: string): Reach {
  const { hostname, protocol } = new URL(url);
  const isLocal = LOCAL.test(hostname);
  if (isLocal) return "local";
  return protocol === "https:" ? "yes" : "insecure";
}

/** Addresses of the local device: RFC 6761 section 6.3, RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3. */
const LOCAL = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0)$/;
