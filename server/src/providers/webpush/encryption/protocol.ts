import type { WebPushAddress } from "../../provider.ts";

/** A batch for a thread. A plaintext that several messages share is sent once. */
export interface EncryptionBatch {
  readonly id: number;
  readonly plaintexts: readonly Uint8Array[];
  readonly items: readonly EncryptionItem[];
}

/** One message of a batch. */
export interface EncryptionItem {
  readonly keys: WebPushAddress["keys"];
  /** The index of the plaintext in `plaintexts`. */
  readonly plaintextIndex: number;
}

/** The result of a batch: all bodies in one buffer, with the end of each body. */
export interface EncryptedBatch {
  readonly id: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The end of each item's body; null if its keys are unusable, with the reason in `unusableReasons`. */
  readonly bodyEnds: readonly (number | null)[];
  readonly unusableReasons: Readonly<Record<number, string>>;
}
