/** Reason why a browser has no passkeys for an address. */
export type PasskeyObstacle = "insecure" | "address" | "browser";

/** Facts that decide whether a browser can have passkeys for an address. */
export interface PasskeyFacts {
  readonly hostname: string;
  readonly isSecureContext: boolean;
  readonly isKnown: boolean;
}

/** Returns the obstacle to passkeys; null for none. */
export function passkeyObstacleOf({
  hostname,
  isSecureContext,
  isKnown,
}: PasskeyFacts): PasskeyObstacle | null {
  // Web Authentication Level 3, section 5.1.3: a passkey belongs to a domain, which an IP address is not.
  if (ADDRESS.test(hostname)) return "address";
  if (!isSecureContext) return "insecure";
  return isKnown ? null : "browser";
}

/** Returns the obstacle to passkeys on this page; null for none. */
export function passkeyObstacle(): PasskeyObstacle | null {
  const isKnown = "PublicKeyCredential" in globalThis;
  return passkeyObstacleOf({ hostname: location.hostname, isSecureContext, isKnown });
}

/** IPv4 and IPv6 addresses as `location.hostname` writes them. */
const ADDRESS = /^(?:\d+(?:\.\d+){3}|\[.*\])$/;
