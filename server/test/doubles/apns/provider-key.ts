import { generateKeyPairSync, randomInt } from "node:crypto";
import type { KeyObject } from "node:crypto";

export type ApnsEnvironment = "production" | "sandbox";

/** A provider key as Apple knows it. */
export interface ProviderKey {
  /** Ten characters. */
  readonly keyId: string;
  /** P-256. */
  readonly publicKey: KeyObject;
  /** The only environment that takes it; without one, as with keys made before 2025, both do. */
  readonly environment?: ApnsEnvironment;
  /** The only topics of the team that it may push to; without them, all. */
  readonly topics?: readonly string[];
}

/** A provider key with the half that the sender holds. */
export interface OwnedProviderKey extends ProviderKey {
  /** PKCS #8, PEM: the content of the .p8 file that Apple lets a team download once. */
  readonly privateKey: string;
}

/** Returns a fresh provider key, as Apple's developer site makes them. */
export function makeProviderKey(
  limits: Pick<ProviderKey, "environment" | "topics"> = {},
): OwnedProviderKey {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" });
  return { ...limits, keyId: makeId(), publicKey, privateKey: pem };
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const ID_CHARACTERS = 10;

function makeId(): string {
  const picks = Array.from({ length: ID_CHARACTERS }, () => randomInt(ALPHABET.length));
  return picks.map((index) => ALPHABET.charAt(index)).join("");
}
