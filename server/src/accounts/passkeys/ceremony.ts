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

/** The server as a WebAuthn relying party. */
export interface RelyingParty {
  /** The host name of the base URL, to which passkeys are bound. */
  readonly id: string;
  readonly origin: string;
}

/** A new passkey as a browser reports it, without unused fields. */
export type PasskeyRegistration = Omit<RegistrationResponseJSON, "clientExtensionResults">;

/** An assertion by a passkey as a browser reports it, without unused fields. */
export interface Assertion extends Omit<AuthenticationResponseJSON, OmittedField> {
  readonly response: Omit<AuthenticationResponseJSON["response"], "userHandle"> & {
    readonly userHandle?: string | null;
  };
}

type OmittedField = "response" | "clientExtensionResults";

/** A passkey as it is stored. */
export interface PasskeyCredential {
  /** In base64url. */
  readonly credentialId: string;
  /** COSE_Key (RFC 9052, section 7) in base64url. */
  readonly publicKey: string;
  readonly signCount: number;
}

/** The algorithms that passkeys may use, in order of preference. Listed here, so that a library update adds none. */
export const PASSKEY_ALGORITHMS = [COSEALG.EdDSA, COSEALG.ES256, COSEALG.RS256];
const RSA_MIN_BYTES = 256;

/** Returns the challenge's token from a browser's response. Throws `invalid_field` if the response is malformed. */
export async function readChallengeToken({
  response,
}: PasskeyRegistration | Assertion): Promise<string> {
  return refuseOnError(async () => {
    const { challenge } = decodeClientDataJSON(response.clientDataJSON);
    return isoBase64URL.toUTF8String(challenge);
  });
}

/**
 * Verifies a registration and returns the credential of the new passkey (Web Authentication Level 3, section 7.1).
 * Throws `invalid_field` for another origin, server or ceremony, for a weak key, and without user verification.
 */
export async function verifyRegistration(
  { id: expectedRPID, origin: expectedOrigin }: RelyingParty,
  { registration, token }: { readonly registration: PasskeyRegistration; readonly token: string },
): Promise<PasskeyCredential> {
  return refuseOnError(async () => {
    refuseCrossOriginFrame(registration);
    const { registrationInfo } = await verifyRegistrationResponse({
      response: { ...removeAttestation(registration), clientExtensionResults: {} },
      expectedChallenge: isoBase64URL.fromUTF8String(token),
      expectedOrigin,
      expectedRPID,
      requireUserVerification: true,
      supportedAlgorithmIDs: PASSKEY_ALGORITHMS,
    });
    const credential = registrationInfo?.credential;
    // The library checks neither the id nor the strength of the key.
    if (credential?.id !== registration.id || !isStrongKey(credential.publicKey))
      throw createPasskeyRefusedError();
    const publicKey = isoBase64URL.fromBuffer(credential.publicKey);
    return { credentialId: credential.id, publicKey, signCount: credential.counter };
  });
}

/**
 * Verifies a sign-in with a stored passkey and returns the new signature count (Web Authentication Level 3, section
 * 7.2). Throws `invalid_field` for a wrong signature, another origin or server, and a count that indicates a copied
 * authenticator.
 */
export async function verifyAssertion(
  { id: expectedRPID, origin: expectedOrigin }: RelyingParty,
  input: {
    readonly assertion: Assertion;
    /** The token of the challenge. */
    readonly token: string;
    readonly passkey: PasskeyCredential;
  },
): Promise<number> {
  const { assertion, token, passkey } = input;
  const { userHandle: _, ...response } = assertion.response;
  return refuseOnError(async () => {
    refuseCrossOriginFrame(assertion);
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...assertion, response, clientExtensionResults: {} },
      expectedChallenge: isoBase64URL.fromUTF8String(token),
      expectedOrigin,
      expectedRPID,
      // A passkey replaces both password and second factor, so it must verify the user.
      requireUserVerification: true,
      credential: {
        id: passkey.credentialId,
        publicKey: isoBase64URL.toBuffer(passkey.publicKey),
        counter: passkey.signCount,
      },
    });
    if (!verified) throw createPasskeyRefusedError();
    return authenticationInfo.newCounter;
  });
}

/** Returns the error for an invalid passkey. It does not disclose the reason. */
export function createPasskeyRefusedError(): AppError {
  const message = "credential is not a valid passkey for this server. Try again.";
  return new AppError("invalid_field", message, { field: "credential" });
}

/** The library throws for any invalid input, and has no specific error class. */
async function refuseOnError<T>(check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch {
    throw createPasskeyRefusedError();
  }
}

/** Refuses a page that is embedded in another site. The library accepts it if the browser does not name that site. */
function refuseCrossOriginFrame({ response }: PasskeyRegistration | Assertion): void {
  const { crossOrigin, topOrigin } = decodeClientDataJSON(response.clientDataJSON);
  if (crossOrigin === true || topOrigin !== undefined) throw createPasskeyRefusedError();
}

/**
 * Returns a registration without its attestation. This server requests no attestation, and the library would fetch the
 * URLs in an attestation's certificates.
 */
function removeAttestation({
  response,
  ...registration
}: PasskeyRegistration): PasskeyRegistration {
  const attestation = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject));
  const attestationMap = new Map<string, string | Uint8Array | Map<string, string>>([
    ["fmt", "none"],
    ["attStmt", new Map<string, string>()],
    ["authData", attestation.get("authData")],
  ]);
  const attestationObject = isoBase64URL.fromBuffer(isoCBOR.encode(attestationMap));
  return { ...registration, response: { ...response, attestationObject } };
}

/**
 * Web Authentication Level 3, section 5.8.5, ties each algorithm to a curve. The minimum length of RSA keys is an
 * additional requirement.
 */
function isStrongKey(publicKey: Uint8Array<ArrayBuffer>): boolean {
  const key = decodeCredentialPublicKey(publicKey);
  const { COSEKEYS, COSECRV } = cose;
  if (cose.isCOSEPublicKeyRSA(key)) {
    return (key.get(COSEKEYS.n)?.byteLength ?? 0) >= RSA_MIN_BYTES;
  }
  if (cose.isCOSEPublicKeyEC2(key)) return key.get(COSEKEYS.crv) === COSECRV.P256;
  return cose.isCOSEPublicKeyOKP(key) && key.get(COSEKEYS.crv) === COSECRV.ED25519;
}
