import { verify } from "node:crypto";
import { refuse } from "./apns-refusal.ts";
import type { ApnsRefusal } from "./apns-refusal.ts";
import type { ApnsEnvironment, ProviderKey } from "./provider-key.ts";
import { readJwtPart } from "../jwt-part.ts";

/** Facts that provider tokens are checked against. */
export interface TokenPolicy {
  readonly environment: ApnsEnvironment;
  /** Ten characters, the only team that the service knows. */
  readonly teamId: string;
  readonly keys: readonly ProviderKey[];
  /**
   * True where `typ: "JWT"` may stand in a token's header. Apple lets it pass, though its page names `alg` and `kid`
   * alone: foreign clients send it.
   */
  readonly isTypAllowed: boolean;
}

/** A provider token that Apple would take. */
export interface ProviderToken {
  readonly kind: "provider token";
  /** The whole JWT: another signature makes another token. */
  readonly text: string;
  readonly key: ProviderKey;
}

/** Judges the credentials of one push (Apple, "Establishing a token-based connection to APNs", 2025). */
export function checkProviderToken(
  authorization: string | undefined,
  policy: TokenPolicy,
  nowMs: number,
): ProviderToken | ApnsRefusal {
  const text = /^bearer (?<text>\S+)$/iu.exec(authorization ?? "")?.groups?.["text"];
  if (text === undefined) return refuse(403, "MissingProviderToken", "No bearer token was sent.");
  const [head = "", body = "", signature = "", ...rest] = text.split(".");
  const { alg, kid, typ, ...otherFields } = readJwtPart(head);
  const { iss, iat, ...otherClaims } = readJwtPart(body);
  const key = policy.keys.find(({ keyId }) => keyId === kid);
  if (rest.length > 0 || signature === "") return invalid("The token is not a signed JWT.");
  if (alg !== "ES256") return invalid("alg is not ES256.");
  if (!isTypGood(typ, policy)) return invalid("The header holds typ.");
  if (key === undefined) return invalid("kid names no key of the team.");
  if (iss !== policy.teamId) return invalid("iss is not the team.");
  const surplus = Object.keys({ ...otherFields, ...otherClaims });
  if (surplus.length > 0) return invalid(`The token holds ${surplus.join(", ")}.`);
  if (!isSignedBy(key, `${head}.${body}`, signature)) return invalid("The signature is wrong.");
  return checkKey(key, policy) ?? checkAge(iat, nowMs) ?? { kind: "provider token", text, key };
}

function isTypGood(typ: unknown, { isTypAllowed }: TokenPolicy): boolean {
  return typ === undefined || (isTypAllowed && typ === "JWT");
}

const SIGNATURE_BYTES = 64;

/** JWS carries R and S side by side (RFC 7518 section 3.4); Apple takes DER too, which hides a sender's mistake. */
function isSignedBy({ publicKey }: ProviderKey, signed: string, signature: string): boolean {
  const bytes = Buffer.from(signature, "base64url");
  // Node reads padding and the other alphabet too; a JWS has neither (RFC 7515 section 2).
  if (bytes.toString("base64url") !== signature || bytes.length !== SIGNATURE_BYTES) return false;
  const key = { key: publicKey, dsaEncoding: "ieee-p1363" } as const;
  return verify("sha256", Buffer.from(signed), key, bytes);
}

function checkKey(key: ProviderKey, { environment }: TokenPolicy): ApnsRefusal | null {
  if (key.environment === undefined || key.environment === environment) return null;
  return refuse(403, "BadEnvironmentKeyIdInToken", `The key is for ${key.environment} alone.`);
}

const MAX_AGE_MS = 3_600_000;
/** Largest tolerated difference of two clocks. */
const MAX_AHEAD_MS = 60_000;

function checkAge(iat: unknown, nowMs: number): ApnsRefusal | null {
  if (typeof iat !== "number" || !Number.isInteger(iat)) return invalid("iat is not an integer.");
  if (iat * 1000 > nowMs + MAX_AHEAD_MS) return invalid("iat is in the future.");
  if (iat * 1000 >= nowMs - MAX_AGE_MS) return null;
  return refuse(403, "ExpiredProviderToken", "iat is more than an hour ago.");
}

function invalid(message: string): ApnsRefusal {
  return refuse(403, "InvalidProviderToken", message);
}
