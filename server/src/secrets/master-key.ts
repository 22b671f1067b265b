import { createSecretKey, hkdfSync, randomBytes, type KeyObject } from "node:crypto";
import { KEY_BYTES } from "./aes-gcm.ts";

/** The key that seals the server's secrets; it is kept apart from them. */
export interface MasterKey {
  /** Eight hexadecimal digits that tell keys apart without revealing them. */
  readonly id: string;
  /** Encrypts secrets. A `KeyObject` shows nothing when it is printed. */
  readonly sealing: KeyObject;
  /** Opens secrets that earlier versions sealed. */
  readonly wrapping: KeyObject;
}

/** The master keys that the environment names. */
export interface MasterKeys {
  readonly current: MasterKey | null;
  /** The previous key, during a change of keys. */
  readonly old: MasterKey | null;
  /** The file of the current key, if it was read from a file. */
  readonly file: string | null;
}

const FORM = /^[0-9a-f]{64}$/i;
const ID_BYTES = 4;

/** Returns the text of a new master key: 64 hexadecimal digits. */
export function newMasterKeyText(): string {
  return randomBytes(KEY_BYTES).toString("hex");
}

/** Returns the master key in 64 hexadecimal digits; throws an Error that says what to give, without repeating the text. */
export function parseMasterKey(text: string): MasterKey {
  if (!FORM.test(text)) {
    throw new Error("give 64 hexadecimal digits (32 bytes), as openssl rand -hex 32 prints them.");
  }
  const bytes = Buffer.from(text, "hex");
  return {
    id: derive(bytes, "id", ID_BYTES).toString("hex"),
    sealing: createSecretKey(derive(bytes, "sealing", KEY_BYTES)),
    wrapping: createSecretKey(derive(bytes, "wrapping", KEY_BYTES)),
  };
}

/** Derives a key for each purpose, which reveals none of the others (RFC 5869). */
function derive(bytes: Buffer, purpose: string, length: number): Buffer {
  return Buffer.from(hkdfSync("sha256", bytes, "", `tocsin master-key ${purpose}`, length));
}
