import type { KeyObject } from "node:crypto";
import { decrypt, encrypt } from "./aes-gcm.ts";
import { findKey, type KeyRing } from "./key-ring.ts";
import type { MasterKey } from "./master-key.ts";
import { formatAssociatedData, type SealedColumn } from "./sealed-column.ts";

/** A sealed secret as stored, in JSON; bytes are base64url. */
interface SealedEnvelope {
  /** The version of this format. */
  readonly sealed: number;
  /** The id of the master key. */
  readonly kid: string;
  /** The secret, encrypted. */
  readonly value: string;
  /**
   * In version 1, the key that encrypted the secret, wrapped by the master key; empty since then. Without this field,
   * a server that knows only version 1 would treat the whole text as an unsealed secret.
   */
  readonly key: string;
}

const CURRENT_VERSION = 2;
/** The format of earlier versions: each secret is encrypted with a separate key, which the master key wraps. */
const WRAPPED_VERSION = 1;

/** Thrown if a sealed value cannot be opened, because it was changed or moved to another location. */
export class DamagedSealError extends Error {
  override readonly name = "DamagedSealError";

  constructor({ table, row, column }: SealedColumn, cause?: unknown) {
    super(
      `The sealed value of ${table} ${row} ${column} does not open: it was changed, or belongs to another location. Restore it from a backup.`,
      { cause },
    );
  }
}

/** Encrypts a text with a key that is derived from the master key. The result opens only at its location. */
export function sealSecret(
  masterKey: MasterKey,
  { text, location }: { readonly text: string; readonly location: SealedColumn },
): string {
  const associatedData = formatAssociatedData(location, CURRENT_VERSION);
  const value = encrypt(masterKey.sealingKey, { plaintext: Buffer.from(text), associatedData });
  const envelope: SealedEnvelope = {
    sealed: CURRENT_VERSION,
    kid: masterKey.id,
    key: "",
    value: value.toString("base64url"),
  };
  return JSON.stringify(envelope);
}

/**
 * Returns the secret that is stored at a location, sealed or not. Throws a `MissingKeyError` if its master key is not
 * in the ring, and a `DamagedSealError` if it was changed or belongs to another location.
 */
export function openSecret(
  ring: KeyRing,
  { stored, location }: { readonly stored: string; readonly location: SealedColumn },
): string {
  const envelope = parseEnvelope(stored);
  if (envelope === null) return stored;
  const masterKey = findKey(ring, envelope.kid);
  try {
    const associatedData = formatAssociatedData(location, envelope.sealed);
    const key = getEncryptionKey(envelope, { masterKey, associatedData });
    return decrypt(key, { sealed: decodeBase64url(envelope.value), associatedData }).toString();
  } catch (error) {
    throw new DamagedSealError(location, error);
  }
}

/** Returns the key that encrypted the secret; throws for an unknown version, or if the wrapped key does not open. */
function getEncryptionKey(
  { sealed, key }: SealedEnvelope,
  { masterKey, associatedData }: { readonly masterKey: MasterKey; readonly associatedData: string },
): Buffer | KeyObject {
  if (sealed === CURRENT_VERSION) return masterKey.sealingKey;
  if (sealed !== WRAPPED_VERSION)
    throw new Error(`Version ${sealed} of sealed secrets is unknown.`);
  return decrypt(masterKey.wrappingKey, { sealed: decodeBase64url(key), associatedData });
}

/** Returns whether a stored secret is sealed with this master key in the current format. */
export function isSealedWith(masterKey: MasterKey, stored: string): boolean {
  const envelope = parseEnvelope(stored);
  return envelope?.sealed === CURRENT_VERSION && envelope.kid === masterKey.id;
}

/** Returns the id of the master key that a stored secret is sealed with; null if it is not sealed. */
export function getMasterKeyId(stored: string): string | null {
  return parseEnvelope(stored)?.kid ?? null;
}

/** Returns the envelope of a sealed secret; null for an unsealed one, which may be JSON too, but lacks these fields. */
function parseEnvelope(stored: string): SealedEnvelope | null {
  if (!stored.startsWith("{")) return null;
  const fields = parseObject(stored);
  const { sealed, kid, key, value } = fields;
  if (typeof sealed !== "number" || typeof kid !== "string") return null;
  if (typeof key !== "string" || typeof value !== "string") return null;
  return { sealed, kid, key, value };
}

function parseObject(text: string): Partial<Record<keyof SealedEnvelope, unknown>> {
  try {
    // A text that begins with a brace is an object, or not JSON.
    return JSON.parse(text) as Partial<Record<keyof SealedEnvelope, unknown>>;
  } catch {
    return {};
  }
}

function decodeBase64url(text: string): Buffer {
  return Buffer.from(text, "base64url");
}
