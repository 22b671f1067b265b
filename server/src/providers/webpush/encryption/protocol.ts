import type { WebPushAddress } from "../../provider.ts";

/** A batch for a thread; a plaintext that several messages share is sent once. */
export interface EncryptionOrder {
  readonly id: number;
  readonly plaintexts: readonly Uint8Array[];
  readonly items: readonly EncryptionItem[];
}

export interface EncryptionItem {
  readonly keys: WebPushAddress["keys"];
  /** Index into `plaintexts`. */
  readonly plaintext: number;
}

/** The result of an order: all bodies in one buffer, and where each ends. */
export interface Encrypted {
  readonly id: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The end of each item's body; null if its keys are unusable, with the reason in `unusable`. */
  readonly ends: readonly (number | null)[];
  readonly unusable: Readonly<Record<number, string>>;
}
