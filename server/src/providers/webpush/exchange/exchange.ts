import { createECDH } from "node:crypto";
import { exchangeWithNode } from "./node-crypto.ts";
import { createOpensslExchange } from "./openssl.ts";

/** The result of one key exchange on P-256. */
export interface KeyAgreement {
  /** The public key of the ephemeral pair: an uncompressed point of 65 bytes. */
  readonly senderPublicKey: Buffer;
  /** The shared secret: 32 bytes. */
  readonly sharedSecret: Buffer;
}

/**
 * A function that exchanges keys with a receiver's point of 65 bytes, with a new key pair for each call. Returns null
 * if the point is not on the curve.
 */
export type ExchangeKeys = (receiverPublicKey: Buffer) => KeyAgreement | null;

let selectedExchange: ExchangeKeys | null = null;

/**
 * Exchanges keys with OpenSSL's own functions, in two thirds of the time that `node:crypto` takes. Uses `node:crypto` if
 * these functions cannot be called or disagree with it. `--no-experimental-ffi` forces `node:crypto`.
 */
export const exchangeKeys: ExchangeKeys = (receiverPublicKey) => {
  selectedExchange ??= verifyExchange(createOpensslExchange()) ?? exchangeWithNode;
  return selectedExchange(receiverPublicKey);
};

/**
 * Returns the exchange if it agrees with `node:crypto`, otherwise null. Runs once per thread: another version of
 * OpenSSL may have a different function under one of these names.
 */
export function verifyExchange(exchange: ExchangeKeys | null): ExchangeKeys | null {
  const receiver = createECDH("prime256v1");
  try {
    const agreement = exchange?.(receiver.generateKeys()) ?? null;
    if (agreement === null) return null;
    return receiver.computeSecret(agreement.senderPublicKey).equals(agreement.sharedSecret)
      ? exchange
      : null;
  } catch {
    return null;
  }
}
