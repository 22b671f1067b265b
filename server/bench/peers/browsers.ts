import { makeReceiverKeys } from "../../test/doubles/push-decrypt.ts";
import { inTurn } from "./in-turn.ts";

/** A browser that gets pushes. */
export interface Browser {
  readonly index: number;
  readonly keys: { readonly p256dh: string; readonly auth: string };
  /** Returns what was sealed for it; throws where it was not. */
  readonly open: (body: Buffer) => Buffer;
}

const BROWSERS: readonly Browser[] = Array.from({ length: 1_000 }, (_, index) => {
  const { publicKeys, decrypt } = makeReceiverKeys();
  return { index, keys: publicKeys, open: decrypt };
});

/** Returns the next of a thousand browsers, each with keys of its own. */
export const nextBrowser = inTurn(BROWSERS);

/** One in so many is opened: the others would cost more than what is measured. */
const OPENED_EVERY = 500;
let sealed = 0;

/** Throws where a body does not say what it should; looks at one in five hundred. */
export function checkSealed({ open }: Browser, body: Buffer, plaintext: Buffer): void {
  if ((sealed += 1) % OPENED_EVERY !== 0) return;
  if (!open(body).equals(plaintext)) throw new Error("A message was not sealed as it should be.");
}
