import { createECDH } from "node:crypto";
import { checkEndpoint, type EndpointPolicy } from "./endpoint-policy.ts";

/** A push subscription, as the browser sends it. */
export interface BrowserSubscription {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
}

/** The result of checking a subscription: valid, or the invalid field and the reason. */
export type AddressVerdict =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly field: "endpoint" | "keys.p256dh" | "keys.auth";
      readonly message: string;
    };

/** The size of an uncompressed point of P-256, and its first byte (SEC 1 section 2.3.3). */
const POINT_BYTES = 65;
const UNCOMPRESSED_FORM = 4;
/** The size of the authentication secret (RFC 8291 section 3.2). */
const AUTH_BYTES = 16;
const BASE64URL = /^[\w-]+$/u;

/** Returns whether a subscription may be registered; if not, the invalid field and the reason. */
export function checkWebPushAddress(
  { policy }: { readonly policy: EndpointPolicy },
  { endpoint, keys }: BrowserSubscription,
): AddressVerdict {
  const result = checkEndpoint(policy, endpoint);
  if (!result.ok) return { ok: false, field: "endpoint", message: result.message };
  if (!isPoint(keys.p256dh)) {
    const message = "p256dh must be a point on P-256: 65 bytes, base64url without padding.";
    return { ok: false, field: "keys.p256dh", message };
  }
  if (decodeBase64url(keys.auth)?.length !== AUTH_BYTES) {
    const message = "auth must be 16 bytes, base64url without padding.";
    return { ok: false, field: "keys.auth", message };
  }
  return { ok: true };
}

/** Returns whether a key is an uncompressed point on P-256. Key agreement fails for any other (RFC 8291 section 7). */
function isPoint(p256dh: string): boolean {
  const point = decodeBase64url(p256dh);
  if (point?.length !== POINT_BYTES || point[0] !== UNCOMPRESSED_FORM) return false;
  const ecdh = createECDH("prime256v1");
  ecdh.generateKeys();
  try {
    ecdh.computeSecret(point);
    return true;
  } catch {
    // OpenSSL reports only that the key is invalid.
    return false;
  }
}

function decodeBase64url(text: string): Buffer | null {
  if (!BASE64URL.test(text)) return null;
  const bytes = Buffer.from(text, "base64url");
  // Node ignores stray bits and characters, so only the canonical encoding is accepted.
  return bytes.toString("base64url") === text ? bytes : null;
}
