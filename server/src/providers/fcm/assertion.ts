import { SignJWT } from "jose";
import type { ServiceAccount } from "./service-account.ts";

/** The identity and the recipient of an assertion. */
export interface AssertionRequest {
  readonly credentials: ServiceAccount;
  /** The URL of the token endpoint, exactly as the endpoint expects it. */
  readonly audience: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

const OAUTH_SCOPE = "https://www.googleapis.com/auth/firebase.messaging";
/** The longest lifetime of an assertion that Google allows. */
const TTL_S = 3_600;

/** Returns a signed assertion of our identity, to be exchanged for an access token (RFC 7523 section 2.1). */
export async function signAssertion(request: AssertionRequest): Promise<string> {
  const { credentials, audience, now } = request;
  const issuedAt = Math.floor(now / 1000);
  return new SignJWT({ scope: OAUTH_SCOPE })
    .setProtectedHeader({ alg: "RS256", typ: "JWT", kid: credentials.privateKeyId })
    .setIssuer(credentials.clientEmail)
    .setAudience(audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + TTL_S)
    .sign(credentials.privateKey);
}
