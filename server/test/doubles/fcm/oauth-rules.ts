import { verify } from "node:crypto";
import { isObject } from "./json-rules.ts";
import type { ServiceAccount } from "./service-account.ts";

/** A request for an access token, with the data to check it. */
export interface GrantRequest {
  readonly contentType: string | undefined;
  /** The form as received. */
  readonly body: string;
  readonly account: ServiceAccount;
  /** The required `aud`. */
  readonly audience: string;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** A valid request for an access token. */
export interface Granted {
  readonly kind: "granted";
  readonly scopes: readonly string[];
  /** Header and claims of the assertion, for tests that check more than Google does. */
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** An OAuth 2.0 error (RFC 6749 section 5.2) with Google's message. */
export interface GrantRefused {
  readonly kind: "refused";
  readonly status: number;
  readonly error: string;
  readonly description: string;
}

/** The grant type of a signed assertion (RFC 7523 section 2.1). */
export const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** Validates a JWT-bearer grant as Google's token endpoint does (RFC 7523; "Using OAuth 2.0 for Server to Server"). */
export function validateGrant(request: GrantRequest): Granted | GrantRefused {
  if (!/^application\/x-www-form-urlencoded\b/iu.test(request.contentType ?? "")) {
    return createRefusal(400, "invalid_request", "Missing required parameter: grant_type");
  }
  const form = new URLSearchParams(request.body);
  const grantType = form.get("grant_type");
  if (grantType !== JWT_BEARER) {
    return createRefusal(400, "unsupported_grant_type", `Invalid grant_type: ${grantType ?? ""}`);
  }
  const assertion = form.get("assertion") ?? "";
  const [headerPart = "", payload = "", signature = "", ...extraParts] = assertion.split(".");
  const header = parseJwtPart(headerPart);
  const claims = parseJwtPart(payload);
  if (header === null || claims === null || signature === "" || extraParts.length > 0) {
    return createRefusal(400, "invalid_request", "Bad Request");
  }
  const { scope } = claims;
  const scopes = typeof scope === "string" ? scope.split(" ").filter(Boolean) : [];
  return (
    checkIssuer(claims["iss"], request.account) ??
    checkSignature({ header, signed: `${headerPart}.${payload}`, signature }, request.account) ??
    checkAudience(claims["aud"], request.audience) ??
    checkTimes(claims, request.nowMs) ??
    checkScopes(scopes) ?? { kind: "granted", scopes, header, claims }
  );
}

/** Distinguishes an issuer that cannot be a service account (unknown client) from one that could (deleted account). */
function checkIssuer(issuer: unknown, account: ServiceAccount): GrantRefused | null {
  if (issuer === account.email) return null;
  return typeof issuer === "string" && issuer.endsWith(".gserviceaccount.com")
    ? createRefusal(400, "invalid_grant", "Invalid grant: account not found")
    : createRefusal(401, "invalid_client", "The OAuth client was not found.");
}

function checkSignature(
  token: {
    readonly header: Readonly<Record<string, unknown>>;
    readonly signed: string;
    readonly signature: string;
  },
  { keyId, publicKey }: ServiceAccount,
): GrantRefused | null {
  // google-auth-library omits both, so they are checked only if present.
  const { alg, typ = "JWT", kid = keyId } = token.header;
  const signature = Buffer.from(token.signature, "base64url");
  const isValid =
    alg === "RS256" &&
    typ === "JWT" &&
    kid === keyId &&
    verify("sha256", Buffer.from(token.signed), publicKey, signature);
  return isValid ? null : createRefusal(400, "invalid_grant", "Invalid JWT Signature.");
}

function checkAudience(aud: unknown, audience: string): GrantRefused | null {
  return aud === audience
    ? null
    : createRefusal(400, "invalid_grant", "Invalid JWT: Failed audience check.");
}

const HOUR_SECONDS = 3_600;

function checkTimes(
  { iat, exp }: Readonly<Record<string, unknown>>,
  nowMs: number,
): GrantRefused | null {
  const nowSeconds = nowMs / 1000;
  const isValid =
    Number.isInteger(iat) &&
    Number.isInteger(exp) &&
    Number(iat) <= nowSeconds &&
    Number(exp) > nowSeconds &&
    Number(exp) > Number(iat) &&
    Number(exp) - Number(iat) <= HOUR_SECONDS;
  if (isValid) return null;
  return createRefusal(
    400,
    "invalid_grant",
    "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. " +
      "Check your iat and exp values in the JWT claim.",
  );
}

function checkScopes(scopes: readonly string[]): GrantRefused | null {
  const isKnown = scopes.every((scope) => scope.startsWith("https://www.googleapis.com/auth/"));
  if (scopes.length > 0 && isKnown) return null;
  return createRefusal(400, "invalid_scope", "Invalid OAuth scope or ID token audience provided.");
}

function parseJwtPart(part: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString());
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function createRefusal(status: number, error: string, description: string): GrantRefused {
  return { kind: "refused", status, error, description };
}
