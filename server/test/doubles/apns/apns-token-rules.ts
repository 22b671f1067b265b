import { verify } from "node:crypto";
import { createApnsRefusal, type ApnsRefusal } from "./apns-refusal.ts";
import type { ApnsEnvironment, ProviderKey } from "./provider-key.ts";
import { parseJwtPart } from "../jwt-part.ts";

/** The team, the keys and the environment that provider tokens are checked against. */
export interface TokenPolicy {
  readonly environment: ApnsEnvironment;
  /** The id of the service's only team, in ten characters. */
  readonly teamId: string;
  readonly keys: readonly ProviderKey[];
  /**
   * True if a token's header may contain `typ: "JWT"`. Apple accepts it, though its page names only `alg` and
   * `kid`, and other clients send it.
   */
  readonly isTypAllowed: boolean;
}

/** A valid provider token. */
export interface ProviderToken {
  readonly kind: "provider token";
  /** The whole JWT. The same claims with another signature are another token. */
  readonly text: string;
  readonly key: ProviderKey;
}

/** Returns the valid provider token of a push request, or the refusal (Apple, "Establishing a token-based connection to APNs", 2025). */
export function checkProviderToken(
  authorization: string | undefined,
  policy: TokenPolicy,
  nowMs: number,
): ProviderToken | ApnsRefusal {
  const text = /^bearer (?<text>\S+)$/iu.exec(authorization ?? "")?.groups?.["text"];
  if (text === undefined)
    return createApnsRefusal(403, "MissingProviderToken", "The request has no bearer token.");
  const [header = "", body = "", signature = "", ...extraParts] = text.split(".");
  const { alg, kid, typ, ...otherFields } = parseJwtPart(header);
  const { iss, iat, ...otherClaims } = parseJwtPart(body);
  const key = policy.keys.find(({ keyId }) => keyId === kid);
  if (extraParts.length > 0 || signature === "")
    return refuseToken("The token is not a signed JWT.");
  if (alg !== "ES256") return refuseToken("alg is not ES256.");
  if (!isTypValid(typ, policy)) return refuseToken("The header contains typ.");
  if (key === undefined) return refuseToken("kid is not the id of a key of the team.");
  if (iss !== policy.teamId) return refuseToken("iss is not the id of the team.");
  const unexpected = Object.keys({ ...otherFields, ...otherClaims });
  if (unexpected.length > 0) return refuseToken(`The token contains ${unexpected.join(", ")}.`);
  if (!isSignedBy(key, `${header}.${body}`, signature))
    return refuseToken("The signature is wrong.");
  return (
    checkKeyEnvironment(key, policy) ??
    checkTokenAge(iat, nowMs) ?? { kind: "provider token", text, key }
  );
}

function isTypValid(typ: unknown, { isTypAllowed }: TokenPolicy): boolean {
  return typ === undefined || (isTypAllowed && typ === "JWT");
}

const SIGNATURE_BYTES = 64;

/** Returns whether R and S, concatenated (RFC 7518 section 3.4), sign the text. Apple also accepts DER, which would hide a mistake. */
function isSignedBy({ publicKey }: ProviderKey, signed: string, signature: string): boolean {
  const bytes = Buffer.from(signature, "base64url");
  // Node also decodes padding and the other alphabet, which a JWS must not have (RFC 7515 section 2).
  if (bytes.toString("base64url") !== signature || bytes.length !== SIGNATURE_BYTES) return false;
  const key = { key: publicKey, dsaEncoding: "ieee-p1363" } as const;
  return verify("sha256", Buffer.from(signed), key, bytes);
}

function checkKeyEnvironment(key: ProviderKey, { environment }: TokenPolicy): ApnsRefusal | null {
  if (key.environment === undefined || key.environment === environment) return null;
  return createApnsRefusal(
    403,
    "BadEnvironmentKeyIdInToken",
    `The key is limited to ${key.environment}.`,
  );
}

const TOKEN_AGE_MAX_MS = 3_600_000;
/** Largest tolerated lead of the sender's clock. */
const CLOCK_SKEW_MAX_MS = 60_000;

function checkTokenAge(iat: unknown, nowMs: number): ApnsRefusal | null {
  if (typeof iat !== "number" || !Number.isInteger(iat))
    return refuseToken("iat is not an integer.");
  if (iat * 1000 > nowMs + CLOCK_SKEW_MAX_MS) return refuseToken("iat is in the future.");
  if (iat * 1000 >= nowMs - TOKEN_AGE_MAX_MS) return null;
  return createApnsRefusal(403, "ExpiredProviderToken", "iat is more than an hour in the past.");
}

function refuseToken(message: string): ApnsRefusal {
  return createApnsRefusal(403, "InvalidProviderToken", message);
}
