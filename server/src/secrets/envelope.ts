import type { KeyObject } from "node:crypto";
import { decrypt, encrypt } from "./aes-gcm.ts";
import { findKey, type KeyRing } from "./key-ring.ts";
import type { MasterKey } from "./master-key.ts";
import { associatedData, type SealedColumn } from "./place.ts";

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
   * a version that knows only version 1 takes the whole text for an unsealed secret.
   */
  readonly key: string;
}

const VERSION = 2;
/** Earlier versions encrypted each secret with a separate key, which a key from the master key wrapped. */
const WRAPPED_VERSION = 1;

/** Thrown if a sealed value was changed or moved to another location. */
export class DamagedSealError extends Error {
  override readonly name = "DamagedSealError";

  constructor({ table, row, column }: SealedColumn, cause?: unknown) {
    super(
      `What is stored as ${table} ${row} ${column} was changed, or belongs elsewhere: it does not open. Restore it from a backup.`,
      { cause },
    );
  }
}

/** Encrypts a text with a key that is derived from the master key, and binds it to its location. */
export function sealSecret(
  masterKey: MasterKey,
  { text, place }: { readonly text: string; readonly place: SealedColumn },
): string {
  const bound = associatedData(place, VERSION);
  const value = encrypt(masterKey.sealing, { plain: Buffer.from(text), bound });
  const envelope: SealedEnvelope = {
    sealed: VERSION,
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
  { stored, place }: { readonly stored: string; readonly place: SealedColumn },
): string {
  const envelope = parseEnvelope(stored);
  if (envelope === null) return stored;
  const masterKey = findKey(ring, envelope.kid);
  try {
    const bound = associatedData(place, envelope.sealed);
    const key = keyOf(envelope, { masterKey, bound });
    return decrypt(key, { sealed: decode(envelope.value), bound }).toString();
  } catch (error) {
    throw new DamagedSealError(place, error);
  }
}

/** Returns the key that encrypted the secret; throws for an unknown version, or if the wrapped key does not open. */
function keyOf(
  { sealed, key }: SealedEnvelope,
  { masterKey, bound }: { readonly masterKey: MasterKey; readonly bound: string },
): Buffer | KeyObject {
  if (sealed === VERSION) return masterKey.sealing;
  if (sealed !== WRAPPED_VERSION)
    throw new Error(`Version ${sealed} of sealed secrets is unknown.`);
  return decrypt(masterKey.wrapping, { sealed: decode(key), bound });
}

/** Returns whether a stored secret is sealed with this master key in the current format. */
export function isSealedWith(masterKey: MasterKey, stored: string): boolean {
  const envelope = parseEnvelope(stored);
  return envelope?.sealed === VERSION && envelope.kid === masterKey.id;
}

/** Returns the id of the master key that a stored secret is sealed with; null if it is not sealed. */
export function keyIdOf(stored: string): string | null {
  return parseEnvelope(stored)?.kid ?? null;
}

/** Returns null for an unsealed secret. That may be JSON too, but lacks these fields. */
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

function decode(text: string): Buffer {
  return Buffer.from(text, "base64url");
}
