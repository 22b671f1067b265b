import { createECDH } from "node:crypto";
import { exchangeByNode } from "./node-crypto.ts";
import { exchangeByOpenssl } from "./openssl.ts";

/** What one exchange of keys on P-256 comes to. */
export interface Exchanged {
  /** The public key of the pair that was made for it and is gone: an uncompressed point of 65 bytes. */
  readonly sender: Buffer;
  /** The shared secret: 32 bytes. */
  readonly shared: Buffer;
}

/** Makes a key pair for this call alone and exchanges keys with a receiver's point of 65 bytes; null where it is not on the curve. */
export type ExchangeKeys = (receiver: Buffer) => Exchanged | null;

let chosen: ExchangeKeys | null = null;

/**
 * Exchanges keys by OpenSSL's own functions, which takes two thirds of the time, where they can be called and agree with
 * `node:crypto`; otherwise by that one. `--no-experimental-ffi` is the way back.
 */
export const exchangeKeys: ExchangeKeys = (receiver) => {
  chosen ??= ifItAgrees(exchangeByOpenssl()) ?? exchangeByNode;
  return chosen(receiver);
};

/**
 * Returns an exchange that agrees with `node:crypto`, or null. Looked at once for each thread: what is called so far down may be
 * another function in another version, or one that its operator switched off.
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
