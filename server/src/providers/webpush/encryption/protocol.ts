import type { WebPushAddress } from "../../provider.ts";

/** What a thread is to encrypt; a plaintext that many share is sent once. */
export interface EncryptionOrder {
  readonly id: number;
  readonly plaintexts: readonly Uint8Array[];
  readonly items: readonly EncryptionItem[];
}

export interface EncryptionItem {
  readonly keys: WebPushAddress["keys"];
  /** Its place among the plaintexts. */
  readonly plaintext: number;
}

/** What became of an order: all bodies one behind the other, and where each ends. */
export interface Encrypted {
  readonly id: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where the body of each item ends; null where its keys are unusable, with the reason in `unusable`. */
  readonly ends: readonly (number | null)[];
  readonly unusable: Readonly<Record<number, string>>;
}
