import { createECDH } from "node:crypto";
import { exchangeByNode } from "./node-crypto.ts";
import { exchangeByOpenssl } from "./openssl.ts";

/** The result of one key exchange on P-256. */
export interface Exchanged {
  /** The public key of the ephemeral pair: an uncompressed point of 65 bytes. */
  readonly sender: Buffer;
  /** The shared secret: 32 bytes. */
  readonly shared: Buffer;
}

/**
 * Exchanges keys with a receiver's point of 65 bytes, with a new key pair for each call. Returns null if the point is not on
 * the curve.
 */
export type ExchangeKeys = (receiver: Buffer) => Exchanged | null;

let chosen: ExchangeKeys | null = null;

/**
 * Exchanges keys by OpenSSL's own functions, which takes two thirds of the time, if they can be called and agree with
 * `node:crypto`; otherwise by `node:crypto`. `--no-experimental-ffi` forces the latter.
 */
export const exchangeKeys: ExchangeKeys = (receiver) => {
  chosen ??= ifItAgrees(exchangeByOpenssl()) ?? exchangeByNode;
  return chosen(receiver);
};

/**
 * Returns the exchange if it agrees with `node:crypto`, else null. Checked once per thread: another version of OpenSSL may
 * have another function under this name, or its operator may have disabled it.
 */
export function ifItAgrees(exchange: ExchangeKeys | null): ExchangeKeys | null {
  const receiver = createECDH("prime256v1");
  try {
    const exchanged = exchange?.(receiver.generateKeys()) ?? null;
    if (exchanged === null) return null;
    return receiver.computeSecret(exchanged.sender).equals(exchanged.shared) ? exchange : null;
  } catch {
    return null;
  }
}
