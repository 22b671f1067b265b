import { createSecretKey, hkdfSync, randomBytes, type KeyObject } from "node:crypto";
import { KEY_BYTES } from "./aes-gcm.ts";

/** The key that seals the server's secrets. It is stored separately from them. */
export interface MasterKey {
  /** Eight hexadecimal digits that identify a key without revealing it. */
  readonly id: string;
  /** Encrypts secrets. A `KeyObject` shows nothing when it is printed. */
  readonly sealingKey: KeyObject;
  /** Opens secrets that earlier versions sealed. */
  readonly wrappingKey: KeyObject;
}

/** The master keys from the environment. */
export interface MasterKeys {
  readonly current: MasterKey | null;
  /** The previous key, during a change of keys. */
  readonly old: MasterKey | null;
  /** The file of the current key, if it was read from a file. */
  readonly file: string | null;
}

const MASTER_KEY_PATTERN = /^[0-9a-f]{64}$/i;
const ID_BYTES = 4;

/** Returns the text of a new master key: 64 hexadecimal digits. */
export function generateMasterKeyText(): string {
  return randomBytes(KEY_BYTES).toString("hex");
}

/**
 * Parses a master key of 64 hexadecimal digits; throws an Error that describes the format without repeating the text.
 */
export function parseMasterKey(text: string): MasterKey {
  if (!MASTER_KEY_PATTERN.test(text)) {
    throw new Error("give 64 hexadecimal digits (32 bytes), as openssl rand -hex 32 prints them.");
  }
  const bytes = Buffer.from(text, "hex");
  return {
    id: deriveBytes(bytes, "id", ID_BYTES).toString("hex"),
    sealingKey: createSecretKey(deriveBytes(bytes, "sealing", KEY_BYTES)),
    wrappingKey: createSecretKey(deriveBytes(bytes, "wrapping", KEY_BYTES)),
  };
}

/** Derives a key for one purpose. It reveals none of the others (RFC 5869). */
function deriveBytes(bytes: Buffer, purpose: string, length: number): Buffer {
  return Buffer.from(hkdfSync("sha256", bytes, "", `tocsin master-key ${purpose}`, length));
}
