import { createPublicKey, diffieHellman, generateKeyPairSync, type KeyObject } from "node:crypto";
import type { KeyAgreement } from "./exchange.ts";

const ECDH_CURVE = { namedCurve: "prime256v1" };

/** Exchanges keys with `node:crypto`: the same OpenSSL, with a key object for each key. */
export function exchangeWithNode(receiverPublicKey: Buffer): KeyAgreement | null {
  return exchangeWithKeyPair(generateKeyPairSync("ec", ECDH_CURVE), receiverPublicKey);
}

/** Exchanges keys with an existing key pair. Exported only to reproduce a published test vector. */
export function exchangeWithKeyPair(
  pair: { readonly publicKey: KeyObject; readonly privateKey: KeyObject },
  receiverPublicKey: Buffer,
): KeyAgreement | null {
  const publicKey = parsePoint(receiverPublicKey);
  if (publicKey === null) return null;
  return {
    senderPublicKey: pair.publicKey.export({ format: "raw-public" }),
    sharedSecret: diffieHellman({ privateKey: pair.privateKey, publicKey }),
  };
}

function parsePoint(key: Buffer): KeyObject | null {
  try {
    return createPublicKey({ key, format: "raw-public", asymmetricKeyType: "ec", ...ECDH_CURVE });
  } catch {
    return null;
  }
}
