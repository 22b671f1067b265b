import { makeReceiverKeys } from "../../test/doubles/push-decrypt.ts";

const COUNT = 1_000;
const keys = Array.from({ length: COUNT }, () => makeReceiverKeys());
let next = 0;

/** A browser that gets pushes. */
export interface Browser {
  readonly index: number;
  readonly keys: { readonly p256dh: string; readonly auth: string };
  /** Returns what was sealed for it; throws where it was not. */
  readonly open: (body: Buffer) => Buffer;
}

/** Returns the next of a thousand browsers, each with keys of its own. */
export function nextBrowser(): Browser {
  const index = (next = (next + 1) % COUNT);
  const receiver = keys[index] ?? makeReceiverKeys();
  return { index, keys: receiver.publicKeys, open: receiver.decrypt };
}

/** One in so many is opened: the others would cost more than what is measured. */
const OPENED_EVERY = 500;
let sealed = 0;

/** Throws where a body does not say what it should; looks at one in five hundred. */
export function checkSealed({ open }: Browser, body: Buffer, plaintext: Buffer): void {
  if ((sealed += 1) % OPENED_EVERY !== 0) return;
  if (!open(body).equals(plaintext)) throw new Error("A message was not sealed as it should be.");
}
