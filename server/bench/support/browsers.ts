import { generateReceiverKeys } from "../../test/doubles/receiver-keys.ts";
import { createRoundRobin } from "./round-robin.ts";

/** A browser that receives pushes. */
export interface Browser {
  readonly index: number;
  readonly keys: { readonly p256dh: string; readonly auth: string };
  /** Decrypts a message. Throws if it was not encrypted for this browser. */
  readonly decrypt: (body: Buffer) => Buffer;
}

const BROWSERS: readonly Browser[] = Array.from({ length: 1_000 }, (_, index) => {
  const { publicKeys, decrypt } = generateReceiverKeys();
  return { index, keys: publicKeys, decrypt };
});

/** Returns the next of a thousand browsers with different keys. */
export const nextBrowser = createRoundRobin(BROWSERS);

/** One in this many messages is decrypted, because decrypting all would cost more than the measured work. */
const CHECK_INTERVAL = 500;
let messageCount = 0;

/** Decrypts one in five hundred bodies. Throws if the result is not the plaintext. */
export function checkEncrypted({ decrypt }: Browser, body: Buffer, plaintext: Buffer): void {
  if ((messageCount += 1) % CHECK_INTERVAL !== 0) return;
  if (!decrypt(body).equals(plaintext)) throw new Error("A message was not encrypted correctly.");
}
