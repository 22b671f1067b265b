import {
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
  type AuthenticationResponseJSON,
  type RegistrationResponseJSON,
} from "@simplewebauthn/server";
import {
  cose,
  COSEALG,
  decodeAttestationObject,
  decodeClientDataJSON,
  decodeCredentialPublicKey,
  isoBase64URL,
  isoCBOR,
} from "@simplewebauthn/server/helpers";
import { AppError } from "#errors.ts";

/** The server as its passkeys know it. */
export interface RelyingParty {
  /** The host name of the base URL; a passkey is bound to it. */
  readonly id: string;
  readonly origin: string;
}

/** A new passkey as a browser reports it, as far as it is read. */
export type PasskeyRegistration = Omit<RegistrationResponseJSON, "clientExtensionResults">;

/** An assertion by a passkey as a browser reports it, as far as it is read. */
export interface Assertion extends Omit<AuthenticationResponseJSON, Unread> {
  readonly response: Omit<AuthenticationResponseJSON["response"], "userHandle"> & {
    readonly userHandle?: string | null;
  };
}

type Unread = "response" | "clientExtensionResults";

/** A passkey as it is stored. */
export interface StoredKey {
  /** In base64url. */
  readonly credentialId: string;
  /** COSE_Key (RFC 9052, section 7) in base64url. */
  readonly publicKey: string;
  readonly signCount: number;
}

/** The algorithms that passkeys may use, in order of preference; fixed here, so that a library update adds none. */
export const ALGORITHMS = [COSEALG.EdDSA, COSEALG.ES256, COSEALG.RS256];
const RSA_MIN_BYTES = 256;

/** Returns the secret that the browser answers to, by which its challenge is found; throws `invalid_field`. */
export async function challengeOf({ response }: PasskeyRegistration | Assertion): Promise<string> {
  return judge(async () => {
    const { challenge } = decodeClientDataJSON(response.clientDataJSON);
    return isoBase64URL.toUTF8String(challenge);
  });
}

/**
 * Returns the new passkey's key (Web Authentication Level 3, section 7.1). Throws `invalid_field` for a registration by
 * another page, server or ceremony, or without user verification.
 */
export async function checkRegistration(
  { id: expectedRPID, origin: expectedOrigin }: RelyingParty,
  { registration, secret }: { readonly registration: PasskeyRegistration; readonly secret: string },
): Promise<StoredKey> {
  return judge(async () => {
    requireOwnFrame(registration);
    const { registrationInfo } = await verifyRegistrationResponse({
      response: { ...withoutAttestation(registration), clientExtensionResults: {} },
      expectedChallenge: isoBase64URL.fromUTF8String(secret),
      expectedOrigin,
      expectedRPID,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    const credential = registrationInfo?.credential;
    // The library compares neither.
    if (credential?.id !== registration.id || !isStrong(credential.publicKey)) throw refused();
    const publicKey = isoBase64URL.fromBuffer(credential.publicKey);
    return { credentialId: credential.id, publicKey, signCount: credential.counter };
  });
}

/**
 * Returns the authenticator's signature count after a sign-in with a stored passkey (Web Authentication Level 3,
 * section 7.2). Throws `invalid_field` for a wrong signature, another page or server, and a count that shows a copied
 * authenticator.
 */
export async function checkAssertion(
  { id: expectedRPID, origin: expectedOrigin }: RelyingParty,
  input: { readonly assertion: Assertion; readonly secret: string; readonly stored: StoredKey },
): Promise<number> {
  const { assertion, secret, stored } = input;
  const { userHandle: _, ...response } = assertion.response;
  return judge(async () => {
    requireOwnFrame(assertion);
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...assertion, response, clientExtensionResults: {} },
      expectedChallenge: isoBase64URL.fromUTF8String(secret),
      expectedOrigin,
      expectedRPID,
      // A passkey replaces password and second factor together, so it must verify its owner.
      requireUserVerification: true,
      credential: {
        id: stored.credentialId,
        publicKey: isoBase64URL.toBuffer(stored.publicKey),
        counter: stored.signCount,
      },
    });
    if (!verified) throw refused();
    return authenticationInfo.newCounter;
  });
}

/** Returns the error for an invalid passkey; the reason is not disclosed. */
export function refused(): AppError {
  const message = "credential is not a passkey that counts here. Try again.";
  return new AppError("invalid_field", message, { field: "credential" });
}

/** The library throws for any invalid input, and has no error class of its own. */
async function judge<T>(check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch {
    throw refused();
  }
}

/** The library accepts our page inside a stranger's frame if the browser does not name the stranger. */
function requireOwnFrame({ response }: PasskeyRegistration | Assertion): void {
  const { crossOrigin, topOrigin } = decodeClientDataJSON(response.clientDataJSON);
  if (crossOrigin === true || topOrigin !== undefined) throw refused();
}

/**
 * Returns a registration without attestation. We do not ask for it, browsers leave it out, and the library would follow
 * the addresses in a certificate that was never requested.
 */
function withoutAttestation({
  response,
  ...registration
}: PasskeyRegistration): PasskeyRegistration {
  const said = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject));
  const none = new Map<string, string | Uint8Array | Map<string, string>>([
    ["fmt", "none"],
    ["attStmt", new Map<string, string>()],
    ["authData", said.get("authData")],
  ]);
  const attestationObject = isoBase64URL.fromBuffer(isoCBOR.encode(none));
  return { ...registration, response: { ...response, attestationObject } };
}

/**
 * Web Authentication Level 3, section 5.8.5, ties each algorithm to a curve; the length of RSA keys is our own
 * requirement.
 */
function isStrong(publicKey: Uint8Array<ArrayBuffer>): boolean {
  const key = decodeCredentialPublicKey(publicKey);
  const { COSEKEYS, COSECRV } = cose;
  if (cose.isCOSEPublicKeyRSA(key)) {
    return (key.get(COSEKEYS.n)?.byteLength ?? 0) >= RSA_MIN_BYTES;
  }
  if (cose.isCOSEPublicKeyEC2(key)) return key.get(COSEKEYS.crv) === COSECRV.P256;
  return cose.isCOSEPublicKeyOKP(key) && key.get(COSEKEYS.crv) === COSECRV.ED25519;
}
