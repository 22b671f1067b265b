import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import { isoCBOR } from "@simplewebauthn/server/helpers";
import { COSE_ALGORITHMS, coseKeyOf, type CoseKey } from "./cose-key.ts";

type Algorithm = "ES256" | "RS256" | "EdDSA";

/** How one ceremony differs from what an honest browser with an honest authenticator does. */
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
  /** Of another credential. */
  readonly id?: string;
  /** COSE_Key (RFC 9052, section 7). */
  readonly publicKey?: CoseKey;
  /** The model that it claims to be. */
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
 * A browser with an authenticator in it that makes and signs real bytes (Web Authentication Level 3, sections 5.8.1 and
 * 6.1); it keeps its credentials, so that signing in needs no name. It speaks the JSON of `@simplewebauthn/browser`.
 */
export class SoftwareAuthenticator {
  readonly #origin: string;
  readonly #algorithm: Algorithm;
  readonly #credentials: Credential[] = [];

  constructor(origin: string, algorithm: Algorithm = "ES256") {
    this.#origin = origin;
    this.#algorithm = algorithm;
  }

  /** Makes a credential as `navigator.credentials.create` would, and returns its JSON. */
  create(
    options: PublicKeyCredentialCreationOptionsJSON,
    deviation: Deviation = {},
  ): RegistrationResponseJSON {
    const { privateKey, publicKey } = keyPair(this.#algorithm);
    const { challenge, rp, user } = options;
    const bytes = randomBytes(16);
    const id = deviation.id ?? bytes.toString("base64url");
    this.#credentials.push({ id, privateKey, userHandle: user.id, signCount: 0 });
    const authenticatorData = Buffer.concat([
      authenticatorHead(rp.id ?? "", { signCount: 0, ...deviation }, ATTESTED),
      // The model's id, the length of the credential's id in two bytes, the id and its key.
      Buffer.alloc(17),
      Buffer.from([bytes.length]),
      bytes,
      isoCBOR.encode(new Map(deviation.publicKey ?? coseKeyOf(publicKey))),
    ]);
    const said = { type: "webauthn.create", challenge, origin: this.#origin, ...deviation };
    const { fmt, attStmt } = deviation.attestation ?? { fmt: "none", attStmt: new Map() };
    const attestation = new Map<string, string | Uint8Array | Attestation["attStmt"]>([
      ["fmt", fmt],
      ["attStmt", attStmt],
      ["authData", new Uint8Array(authenticatorData)],
    ]);
    return {
      ...credentialHead(id),
      response: {
        clientDataJSON: clientData(said).toString("base64url"),
        attestationObject: Buffer.from(isoCBOR.encode(attestation)).toString("base64url"),
        authenticatorData: authenticatorData.toString("base64url"),
        publicKey: publicKey.export({ format: "der", type: "spki" }).toString("base64url"),
        publicKeyAlgorithm: COSE_ALGORITHMS[this.#algorithm],
        transports: ["internal"],
      },
    };
  }

  /** Signs with its newest credential as `navigator.credentials.get` would, and returns the JSON. */
  get(
    options: PublicKeyCredentialRequestOptionsJSON,
    deviation: Deviation = {},
  ): AuthenticationResponseJSON {
    const credential = this.#credentials.at(-1);
    if (credential === undefined) throw new Error("The authenticator has no credential.");
    credential.signCount += 1;
    const { challenge, rpId } = options;
    const { signCount, userHandle } = credential;
    const data = authenticatorHead(rpId ?? "", { signCount, ...deviation }, 0);
    const said = { type: "webauthn.get", challenge, origin: this.#origin, ...deviation };
    const client = clientData(said);
    const signed = Buffer.concat([data, createHash("sha256").update(client).digest()]);
    const digest = this.#algorithm === "EdDSA" ? null : "sha256";
    return {
      ...credentialHead(deviation.id ?? credential.id),
      response: {
        clientDataJSON: client.toString("base64url"),
        authenticatorData: data.toString("base64url"),
        signature: sign(digest, signed, credential.privateKey).toString("base64url"),
        userHandle: deviation.userHandle ?? userHandle,
      },
    };
  }
}

const PRESENT = 0x01;
const VERIFIED = 0x04;
const ATTESTED = 0x40;

function credentialHead(id: string) {
  return {
    id,
    rawId: id,
    type: "public-key",
    clientExtensionResults: {},
    authenticatorAttachment: "platform",
  } as const;
}

function authenticatorHead(
  rpId: string,
  deviation: Deviation & { readonly signCount: number },
  flag: number,
): Buffer {
  const { isUserPresent = true, isUserVerified = true, signCount } = deviation;
  const tail = Buffer.alloc(5);
  tail.writeUInt8((isUserPresent ? PRESENT : 0) | (isUserVerified ? VERIFIED : 0) | flag);
  tail.writeUInt32BE(signCount, 1);
  const hash = createHash("sha256")
    .update(deviation.rpId ?? rpId)
    .digest();
  return Buffer.concat([hash, tail]);
}

function clientData(said: {
  readonly type: string;
  readonly challenge: string;
  readonly origin: string;
  readonly crossOrigin?: boolean;
}): Buffer {
  const { type, challenge, origin, crossOrigin = false } = said;
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin }));
}

function keyPair(algorithm: Algorithm) {
  switch (algorithm) {
    case "ES256":
      return generateKeyPairSync("ec", { namedCurve: "prime256v1" });
    case "RS256":
      return generateKeyPairSync("rsa", { modulusLength: 2_048 });
    case "EdDSA":
      return generateKeyPairSync("ed25519");
  }
}
