import { makeReceiverKeys } from "../../test/doubles/push-decrypt.ts";
import { roundRobin } from "./round-robin.ts";

/** A browser that receives pushes. */
export interface Browser {
  readonly index: number;
  readonly keys: { readonly p256dh: string; readonly auth: string };
  /** Returns the decrypted message; throws if it was not encrypted for this browser. */
  readonly open: (body: Buffer) => Buffer;
}

const BROWSERS: readonly Browser[] = Array.from({ length: 1_000 }, (_, index) => {
  const { publicKeys, decrypt } = makeReceiverKeys();
  return { index, keys: publicKeys, open: decrypt };
});

/** Returns the next of a thousand browsers, each with keys of its own. */
export const nextBrowser = roundRobin(BROWSERS);

/** Only one in so many is decrypted: all of them would cost more than the measured work. */
const OPENED_EVERY = 500;
let sealed = 0;

/** Throws where a body does not say what it should; looks at one in five hundred. */
export function checkEncrypted({ open }: Browser, body: Buffer, plaintext: Buffer): void {
  if ((sealed += 1) % OPENED_EVERY !== 0) return;
  if (!open(body).equals(plaintext))
    throw new Error("A message was not encrypted as it should be.");
}
