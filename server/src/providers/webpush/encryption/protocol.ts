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
  /** Index into `plaintexts`. */
  readonly plaintext: number;
}

/** The result of a batch: all bodies in one buffer, with the end of each body. */
export interface EncryptedBatch {
  readonly id: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The end of each item's body; null if its keys are unusable, with the reason in `unusable`. */
  readonly ends: readonly (number | null)[];
  readonly unusable: Readonly<Record<number, string>>;
}
