import { randomBytes } from "node:crypto";
import { decrypt, encrypt, KEY_BYTES } from "./aes-gcm.ts";
import { findKey, type KeyRing } from "./key-ring.ts";
import type { MasterKey } from "./master-key.ts";
import { boundTo, type Place } from "./place.ts";

/** A sealed secret as stored, in JSON; bytes are base64url. */
interface Envelope {
  /** The version of this format. */
  readonly sealed: number;
  /** The id of the master key. */
  readonly kid: string;
  /** The data key, wrapped by the master key. */
  readonly key: string;
  /** The secret, encrypted by the data key. */
  readonly value: string;
}

const VERSION = 1;

/** Thrown if a sealed value was changed, or is stored where it does not belong. */
export class DamagedSealError extends Error {
  override readonly name = "DamagedSealError";

  constructor({ table, row, column }: Place, cause?: unknown) {
    super(
      `What is stored as ${table} ${row} ${column} was changed, or belongs elsewhere: it does not open. Restore it from a backup.`,
      { cause },
    );
  }
}

/** Returns the text encrypted by a data key of its own, which the master key wraps; both are bound to the place. */
export function sealSecret(
  masterKey: MasterKey,
  { text, place }: { readonly text: string; readonly place: Place },
): string {
  const dataKey = randomBytes(KEY_BYTES);
  const bound = boundTo(place, VERSION);
  const envelope: Envelope = {
    sealed: VERSION,
    kid: masterKey.id,
    key: encrypt(masterKey.wrapping, { plain: dataKey, bound }).toString("base64url"),
    value: encrypt(dataKey, { plain: Buffer.from(text), bound }).toString("base64url"),
  };
  return JSON.stringify(envelope);
}

/**
 * Returns the secret stored at a place, sealed or not. Throws a `MissingKeyError` if its master key is not in the ring,
 * and a `DamagedSealError` if it was changed or does not belong there.
 */
export function openSecret(
  ring: KeyRing,
  { stored, place }: { readonly stored: string; readonly place: Place },
): string {
  const envelope = parseEnvelope(stored);
  if (envelope === null) return stored;
  if (envelope.sealed !== VERSION) throw new DamagedSealError(place);
  const masterKey = findKey(ring, envelope.kid);
  const bound = boundTo(place, VERSION);
  try {
    const dataKey = decrypt(masterKey.wrapping, { sealed: bytesOf(envelope.key), bound });
    return decrypt(dataKey, { sealed: bytesOf(envelope.value), bound }).toString();
  } catch (error) {
    throw new DamagedSealError(place, error);
  }
}

/** Returns the id of the master key that a stored secret is sealed with; null if it is not sealed. */
export function keyIdOf(stored: string): string | null {
  return parseEnvelope(stored)?.kid ?? null;
}

/** Returns null for other secrets, which may be JSON too, without these fields. */
function parseEnvelope(stored: string): Envelope | null {
  if (!stored.startsWith("{")) return null;
  const fields = parseObject(stored);
  const { sealed, kid, key, value } = fields;
  if (typeof sealed !== "number" || typeof kid !== "string") return null;
  if (typeof key !== "string" || typeof value !== "string") return null;
  return { sealed, kid, key, value };
}

function parseObject(text: string): Partial<Record<keyof Envelope, unknown>> {
  try {
    // A text that begins with a brace is an object, or not JSON.
    return JSON.parse(text) as Partial<Record<keyof Envelope, unknown>>;
  } catch {
    return {};
  }
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text, "base64url");
}
