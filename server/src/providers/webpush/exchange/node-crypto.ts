import { createPublicKey, diffieHellman, generateKeyPairSync, type KeyObject } from "node:crypto";
import type { KeyAgreement } from "./exchange.ts";

const CURVE = { namedCurve: "prime256v1" };

/** Exchanges keys with `node:crypto`: the same OpenSSL, with a key object for each key. */
export function exchangeByNode(receiver: Buffer): KeyAgreement | null {
  return exchangeWith(generateKeyPairSync("ec", CURVE), receiver);
}

/** Exchanges keys with an existing key pair. Exported only to reproduce a published test vector. */
export function exchangeWith(
  pair: { readonly publicKey: KeyObject; readonly privateKey: KeyObject },
  receiver: Buffer,
): KeyAgreement | null {
  const publicKey = parsePoint(receiver);
  if (publicKey === null) return null;
  return {
    sender: pair.publicKey.export({ format: "raw-public" }),
    shared: diffieHellman({ privateKey: pair.privateKey, publicKey }),
  };
}

function parsePoint(key: Buffer): KeyObject | null {
  try {
    return createPublicKey({ key, format: "raw-public", asymmetricKeyType: "ec", ...CURVE });
  } catch {
    return null;
  }
}
