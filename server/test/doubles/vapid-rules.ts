import { createPublicKey, verify, type KeyObject } from "node:crypto";
import { isP256Point } from "./is-p256-point.ts";
import { createRefusal, type Refusal } from "./push-refusal.ts";
import { parseJwtPart } from "./jwt-part.ts";

/** A request's credentials, and the values to check them against. */
export interface VapidContext {
  readonly authorization: string | undefined;
  /** The public key of the subscription, base64url. */
  readonly applicationServerKey: string;
  /** Scheme and authority of the sender's request. */
  readonly origin: string;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** Returns the refusal of invalid credentials, or null (RFC 8292). */
export function checkVapid(context: VapidContext): Refusal | null {
  if (context.authorization === undefined)
    return createRefusal(401, 109, "Authorization is missing.");
  const credentials = /^vapid +(?<parameters>.+)$/iu.exec(context.authorization);
  if (credentials === null) return createRefusal(401, 109, "The scheme is not vapid.");
  const parameters = parseParameters(credentials.groups?.["parameters"] ?? "");
  const token = parameters.get("t");
  const key = parameters.get("k");
  if (token === undefined || key === undefined) return refuseCredentials("t= or k= is missing.");
  if (!isP256Point(Buffer.from(key, "base64url")))
    return refuseCredentials("k= is not a P-256 point.");
  if (key !== context.applicationServerKey) {
    // FCM's exact message: senders rely on it to tell a wrong key from a bad token.
    return refuseCredentials(
      "The VAPID credentials in the authorization header do not correspond to the credentials used to create the subscriptions.",
    );
  }
  return checkToken(token, toPublicKey(key), context);
}

function checkToken(token: string, key: KeyObject, context: VapidContext): Refusal | null {
  const [header = "", payload = "", signature = "", ...extraParts] = token.split(".");
  if (extraParts.length > 0 || signature === "")
    return refuseCredentials("The token is not a signed JWT.");
  if (parseJwtPart(header)["alg"] !== "ES256")
    return refuseCredentials("The token's alg is not ES256.");
  const isSignatureValid = verify(
    "sha256",
    Buffer.from(`${header}.${payload}`),
    // A JWS contains R and S concatenated (RFC 7518 section 3.4), not DER, which is Node's default.
    { key, dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url"),
  );
  if (!isSignatureValid) return refuseCredentials("The token's signature is wrong.");
  return checkClaims(parseJwtPart(payload), context);
}

const DAY_S = 86_400;

function checkClaims(
  { aud, exp, sub }: Readonly<Record<string, unknown>>,
  { origin, nowMs }: VapidContext,
): Refusal | null {
  if (aud !== origin) return refuseCredentials(`aud is not ${origin}.`);
  if (typeof exp !== "number" || !Number.isInteger(exp))
    return refuseCredentials("exp is not an integer.");
  if (exp * 1000 <= nowMs) return refuseCredentials("exp is in the past.");
  if (exp * 1000 > nowMs + DAY_S * 1000)
    return refuseCredentials("exp is more than 24 hours ahead.");
  if (typeof sub !== "string" || !isUsableContact(sub)) {
    return refuseCredentials("sub is neither a mailto: nor an https: contact.");
  }
  return null;
}

/** Returns whether a push service can use the contact. Apple refuses private host names and addresses in angle brackets. */
function isUsableContact(subject: string): boolean {
  const domain = /^mailto:[^\s<>@]+@(?<domain>[^\s<>@]+)$/u.exec(subject)?.groups?.["domain"];
  const host = domain ?? (subject.startsWith("https:") ? URL.parse(subject)?.hostname : undefined);
  return host !== undefined && /\./u.test(host) && !/\.(?:local|localhost|invalid)$/iu.test(host);
}

function parseParameters(text: string): ReadonlyMap<string, string> {
  const pairs = text.split(",").map((part) => part.trim());
  return new Map(pairs.map((pair) => [pair.slice(0, 1), pair.slice(2)] as const));
}

function toPublicKey(key: string): KeyObject {
  const point = Buffer.from(key, "base64url");
  const x = point.toString("base64url", 1, 33);
  const y = point.toString("base64url", 33);
  return createPublicKey({ key: { kty: "EC", crv: "P-256", x, y }, format: "jwk" });
}

function refuseCredentials(message: string): Refusal {
  return createRefusal(403, 109, message);
}
