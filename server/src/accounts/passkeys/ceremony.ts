import { createPublicKey, verify, type KeyObject } from "node:crypto";
import { AppError } from "#errors.ts";
import { parseAuthenticatorData, type AuthenticatorData } from "./authenticator-data.ts";
import { parseClientData, sha256 } from "./client-data.ts";

/** Where passkeys of this server count. */
export interface RelyingParty {
  /** The host name of the base URL; a passkey is bound to it. */
  readonly id: string;
  readonly origin: string;
}

/** What `PublicKeyCredential.toJSON()` gives of a new passkey, as far as it is read; all base64url. */
export interface Registration {
  readonly id: string;
  readonly response: {
    readonly clientDataJSON: string;
    readonly authenticatorData: string;
    readonly publicKey: string;
  };
}

/** What it gives of a passkey that was used. */
export interface Assertion {
  readonly id: string;
  readonly response: {
    readonly clientDataJSON: string;
    readonly authenticatorData: string;
    readonly signature: string;
    readonly userHandle?: string | null;
  };
}

/** A passkey as it is stored. */
export interface StoredKey {
  /** SubjectPublicKeyInfo in base64url. */
  readonly publicKey: string;
  readonly signCount: number;
}

/** COSE: EdDSA, ECDSA with P-256, RSA PKCS #1 with SHA-256 (RFC 9053, RFC 8812). */
export const ALGORITHMS = [-8, -7, -257] as const;
/** Web Authentication Level 3, section 5.8.4: no credential's id is longer. */
const CREDENTIAL_ID_MAX_BYTES = 1_023;

/** Returns what the browser answers to, so that its question can be found; throws `invalid_field`. */
export function challengeOf({ response }: Registration | Assertion): string {
  const clientData = parseClientData(bytesOf(response.clientDataJSON));
  if (clientData === null) throw refused();
  return Buffer.from(clientData.challenge, "base64url").toString("utf8");
}

/**
 * Returns the new passkey's key (Web Authentication Level 3, section 7.1). Nothing attests the authenticator's make, so
 * its key is taken as the browser tells it. Throws `invalid_field` for what another page, server or ceremony made.
 */
export function checkRegistration(party: RelyingParty, registration: Registration): StoredKey {
  const { id, response } = registration;
  requireOwnPage(party, { clientDataJSON: response.clientDataJSON, type: "webauthn.create" });
  const data = requireAuthenticator(party, bytesOf(response.authenticatorData));
  if (data.credentialId !== id || bytesOf(id).length > CREDENTIAL_ID_MAX_BYTES) throw refused();
  if (!isKnownKey(keyOf(response.publicKey))) throw refused();
  return { publicKey: response.publicKey, signCount: data.signCount };
}

/**
 * Returns the authenticator's count after a sign-in with a stored passkey (Web Authentication Level 3, section 7.2).
 * Throws `invalid_field` for a wrong signature, another page or server, and a count that shows a copied authenticator.
 */
export function checkAssertion(
  party: RelyingParty,
  { assertion, stored }: { readonly assertion: Assertion; readonly stored: StoredKey },
): number {
  const { clientDataJSON, authenticatorData, signature } = assertion.response;
  requireOwnPage(party, { clientDataJSON, type: "webauthn.get" });
  const bytes = bytesOf(authenticatorData);
  const { signCount } = requireAuthenticator(party, bytes);
  const signed = Buffer.concat([bytes, sha256(bytesOf(clientDataJSON))]);
  if (!isSigned(keyOf(stored.publicKey), { signed, signature: bytesOf(signature) }))
    throw refused();
  // Section 6.1.1: many authenticators do not count, and say 0 for ever.
  const counts = signCount > 0 || stored.signCount > 0;
  if (counts && signCount <= stored.signCount) throw refused();
  return signCount;
}

/** Returns the error for a passkey that does not count here; why is for nobody to know. */
export function refused(): AppError {
  const message = "credential is not a passkey that counts here. Try again.";
  return new AppError("invalid_field", message, { field: "credential" });
}

function requireOwnPage(
  { origin }: RelyingParty,
  { clientDataJSON, type }: { readonly clientDataJSON: string; readonly type: string },
): void {
  const clientData = parseClientData(bytesOf(clientDataJSON));
  if (clientData?.type !== type || clientData.origin !== origin) throw refused();
  if (clientData.isCrossOrigin) throw refused();
}

function requireAuthenticator({ id }: RelyingParty, bytes: Buffer): AuthenticatorData {
  const data = parseAuthenticatorData(bytes);
  if (data === null || !data.rpIdHash.equals(sha256(id))) throw refused();
  // A passkey stands for password and second factor together, so it must know its owner.
  if (!data.isUserPresent || !data.isUserVerified) throw refused();
  return data;
}

function isSigned(
  key: KeyObject,
  { signed, signature }: { readonly signed: Buffer; readonly signature: Buffer },
): boolean {
  const digest = key.asymmetricKeyType === "ed25519" ? null : "sha256";
  return verify(digest, signed, key, signature);
}

function isKnownKey({
  asymmetricKeyType: type,
  asymmetricKeyDetails: details,
}: KeyObject): boolean {
  if (type === "ec") return details?.namedCurve === "prime256v1";
  return type === "ed25519" || (type === "rsa" && (details?.modulusLength ?? 0) >= 2_048);
}

function keyOf(publicKey: string): KeyObject {
  try {
    return createPublicKey({ key: bytesOf(publicKey), format: "der", type: "spki" });
  } catch {
    throw refused();
  }
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text, "base64url");
}
