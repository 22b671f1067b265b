/** The reason that a browser cannot use passkeys for a host. */
export type PasskeyObstacle = "insecure" | "address" | "browser";

/** The facts that decide whether a browser can use passkeys for a host. */
export interface PasskeyFacts {
  readonly hostname: string;
  readonly isSecureContext: boolean;
  /** Whether the browser implements Web Authentication. */
  readonly isSupported: boolean;
}

/** Returns the obstacle that certainly prevents passkeys, even if there are others; null if there is none. */
export function findPasskeyObstacle({
  hostname,
  isSecureContext,
  isSupported,
}: PasskeyFacts): PasskeyObstacle | null {
  // Web Authentication Level 3, section 5.1.3: a passkey belongs to a domain, which an IP address is not.
  if (IP_ADDRESS.test(hostname)) return "address";
  if (!isSecureContext) return "insecure";
  return isSupported ? null : "browser";
}

/** Returns the obstacle to passkeys on this page; null if there is none. */
export function getPasskeyObstacle(): PasskeyObstacle | null {
  const isSupported = "PublicKeyCredential" in globalThis;
  return findPasskeyObstacle({ hostname: location.hostname, isSecureContext, isSupported });
}

/** Matches IPv4 and IPv6 addresses in the format of `location.hostname`. */
const IP_ADDRESS = /^(?:\d+(?:\.\d+){3}|\[.*\])$/;
