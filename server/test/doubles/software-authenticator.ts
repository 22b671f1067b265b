import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import { isoCBOR } from "@simplewebauthn/server/helpers";
import { COSE_ALGORITHMS, toCoseKey, type CoseKey } from "./cose-key.ts";

type Algorithm = "ES256" | "RS256" | "EdDSA";

/** Differences of a ceremony from an honest browser and authenticator. */
export interface Deviation {
  readonly origin?: string;
  readonly rpId?: string;
  readonly type?: string;
  readonly crossOrigin?: boolean;
  readonly isUserVerified?: boolean;
  readonly isUserPresent?: boolean;
  readonly signCount?: number;
  readonly userHandle?: string;
  readonly challenge?: string;
  /** Id of another credential. */
  readonly id?: string;
  /** COSE_Key (RFC 9052, section 7). */
  readonly publicKey?: CoseKey;
  /** Attestation of a model. */
  readonly attestation?: Attestation;
}

interface Attestation {
  readonly fmt: string;
  readonly attStmt: Map<string, number | Uint8Array | Uint8Array[]>;
}

interface Credential {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly userHandle: string;
  signCount: number;
}

/**
 * A browser with a built-in authenticator that creates and signs real data (Web Authentication Level 3, sections 5.8.1
 * and 6.1). It stores its credentials, so that signing in needs no user name. Uses the JSON of
 * `@simplewebauthn/browser`.
 */
export class SoftwareAuthenticator {
  readonly #origin: string;
  readonly #algorithm: Algorithm;
  readonly #credentials: Credential[] = [];

  constructor(origin: string, algorithm: Algorithm = "ES256") {
    this.#origin = origin;
    this.#algorithm = algorithm;
  }

  /** Creates a credential like `navigator.credentials.create`, and returns its JSON. */
  create(
    options: PublicKeyCredentialCreationOptionsJSON,
    deviation: Deviation = {},
  ): RegistrationResponseJSON {
    const { privateKey, publicKey } = generateKeyPair(this.#algorithm);
    const { challenge, rp, user } = options;
    const bytes = randomBytes(16);
    const id = deviation.id ?? bytes.toString("base64url");
    this.#credentials.push({ id, privateKey, userHandle: user.id, signCount: 0 });
    // The last part is the credential's public key.
    const authenticatorData = Buffer.concat([
      createAuthenticatorHeader(rp.id ?? "", { signCount: 0, ...deviation }, ATTESTED_DATA_FLAG),
      NO_MODEL_ID,
      encodeUint16(bytes.length),
      bytes,
      isoCBOR.encode(new Map(deviation.publicKey ?? toCoseKey(publicKey))),
    ]);
    const clientFields = { type: "webauthn.create", challenge, origin: this.#origin, ...deviation };
    const { fmt, attStmt } = deviation.attestation ?? { fmt: "none", attStmt: new Map() };
    const attestation = new Map<string, string | Uint8Array | Attestation["attStmt"]>([
      ["fmt", fmt],
      ["attStmt", attStmt],
      ["authData", new Uint8Array(authenticatorData)],
    ]);
    return {
      ...createCredentialFields(id),
      response: {
        clientDataJSON: encodeClientData(clientFields).toString("base64url"),
        attestationObject: Buffer.from(isoCBOR.encode(attestation)).toString("base64url"),
        authenticatorData: authenticatorData.toString("base64url"),
        publicKey: publicKey.export({ format: "der", type: "spki" }).toString("base64url"),
        publicKeyAlgorithm: COSE_ALGORITHMS[this.#algorithm],
        transports: ["internal"],
      },
    };
  }

  /** Signs with the newest credential like `navigator.credentials.get`, and returns the JSON. */
  get(
    options: PublicKeyCredentialRequestOptionsJSON,
    deviation: Deviation = {},
  ): AuthenticationResponseJSON {
    const credential = this.#credentials.at(-1);
    if (credential === undefined) throw new Error("The authenticator has no credential.");
    credential.signCount += 1;
    const { challenge, rpId } = options;
    const { signCount, userHandle } = credential;
    const data = createAuthenticatorHeader(rpId ?? "", { signCount, ...deviation }, 0);
    const clientFields = { type: "webauthn.get", challenge, origin: this.#origin, ...deviation };
    const client = encodeClientData(clientFields);
    const signedBytes = Buffer.concat([data, createHash("sha256").update(client).digest()]);
    const digest = this.#algorithm === "EdDSA" ? null : "sha256";
    return {
      ...createCredentialFields(deviation.id ?? credential.id),
      response: {
        clientDataJSON: client.toString("base64url"),
        authenticatorData: data.toString("base64url"),
        signature: sign(digest, signedBytes, credential.privateKey).toString("base64url"),
        userHandle: deviation.userHandle ?? userHandle,
      },
    };
  }
}

/** The model's id (AAGUID) of an authenticator that does not tell it. */
const NO_MODEL_ID = Buffer.alloc(16);

const USER_PRESENT_FLAG = 0x01;
const USER_VERIFIED_FLAG = 0x04;
const ATTESTED_DATA_FLAG = 0x40;

function encodeUint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function createCredentialFields(id: string) {
  return {
    id,
    rawId: id,
    type: "public-key",
    clientExtensionResults: {},
    authenticatorAttachment: "platform",
  } as const;
}

function createAuthenticatorHeader(
  rpId: string,
  deviation: Deviation & { readonly signCount: number },
  flag: number,
): Buffer {
  const { isUserPresent = true, isUserVerified = true, signCount } = deviation;
  const flagsAndCount = Buffer.alloc(5);
  flagsAndCount.writeUInt8(
    (isUserPresent ? USER_PRESENT_FLAG : 0) | (isUserVerified ? USER_VERIFIED_FLAG : 0) | flag,
  );
  flagsAndCount.writeUInt32BE(signCount, 1);
  const hash = createHash("sha256")
    .update(deviation.rpId ?? rpId)
    .digest();
  return Buffer.concat([hash, flagsAndCount]);
}

function encodeClientData(fields: {
  readonly type: string;
  readonly challenge: string;
  readonly origin: string;
  readonly crossOrigin?: boolean;
}): Buffer {
  const { type, challenge, origin, crossOrigin = false } = fields;
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin }));
}

function generateKeyPair(algorithm: Algorithm) {
  switch (algorithm) {
    case "ES256":
      return generateKeyPairSync("ec", { namedCurve: "prime256v1" });
    case "RS256":
      return generateKeyPairSync("rsa", { modulusLength: 2_048 });
    case "EdDSA":
      return generateKeyPairSync("ed25519");
  }
}
