import { generateKeyPairSync, randomInt, type KeyObject } from "node:crypto";

/** The environment of a device token: apps from the App Store, or development builds. */
export type ApnsEnvironment = "production" | "sandbox";

/** Apple's half of a provider key. */
export interface ProviderKey {
  /** Ten characters. */
  readonly keyId: string;
  /** P-256. */
  readonly publicKey: KeyObject;
  /** The only environment that accepts the key. Keys created before 2025 have none and work in both environments. */
  readonly environment?: ApnsEnvironment;
  /** The only topics that it may push to; all topics of the team by default. */
  readonly topics?: readonly string[];
}

/** A provider key with the sender's private half. */
export interface OwnedProviderKey extends ProviderKey {
  /** PKCS #8, PEM: the content of the .p8 file that Apple lets a team download once. */
  readonly privateKey: string;
}

/** Generates a provider key like Apple's developer site. */
export function generateProviderKey(
  limits: Pick<ProviderKey, "environment" | "topics"> = {},
): OwnedProviderKey {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" });
  return { ...limits, keyId: generateKeyId(), publicKey, privateKey: pem };
}

const ID_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const ID_CHARACTERS = 10;

function generateKeyId(): string {
  const indexes = Array.from({ length: ID_CHARACTERS }, () => randomInt(ID_ALPHABET.length));
  return indexes.map((index) => ID_ALPHABET.charAt(index)).join("");
}
