import { createPublicKey, diffieHellman, generateKeyPairSync, type KeyObject } from "node:crypto";
import type { Exchanged } from "./exchange.ts";

const CURVE = { namedCurve: "prime256v1" };

/** Exchanges keys by `node:crypto`: the same OpenSSL, with a key object for each key. */
export function exchangeByNode(receiver: Buffer): Exchanged | null {
  return exchangeWith(generateKeyPairSync("ec", CURVE), receiver);
}

/** Exchanges keys with a given key pair, which only serves to reproduce a published vector. */
export function exchangeWith(
  pair: { readonly publicKey: KeyObject; readonly privateKey: KeyObject },
  receiver: Buffer,
): Exchanged | null {
  const publicKey = readPoint(receiver);
  if (publicKey === null) return null;
  return {
    sender: pair.publicKey.export({ format: "raw-public" }),
    shared: diffieHellman({ privateKey: pair.privateKey, publicKey }),
  };
}

function readPoint(key: Buffer): KeyObject | null {
  try {
    return createPublicKey({ key, format: "raw-public", asymmetricKeyType: "ec", ...CURVE });
  } catch {
    return null;
  }
}
