import type { MasterKey } from "./master-key.ts";

/** The master keys that are available to a process. */
export interface KeyRing {
  /** The key that seals new values; null if there is none. */
  readonly current: MasterKey | null;
  /** The keys that can open values, including the current one. */
  readonly all: readonly MasterKey[];
}

/** Thrown if a value is sealed with a master key that this process does not have. */
export class MissingKeyError extends Error {
  override readonly name = "MissingKeyError";
  readonly keyId: string;

  constructor(keyId: string, { all }: KeyRing) {
    const available =
      all.length === 0 ? "none is given" : `given: ${all.map(({ id }) => id).join(", ")}`;
    super(
      `The server's secrets are sealed with the master key ${keyId}, which is not here (${available}). Set TOCSIN_MASTER_KEY_FILE to the file with that key, or TOCSIN_MASTER_KEY to the key itself. Without it they cannot be read: docs/secrets-at-rest.md says what is lost then.`,
    );
    this.keyId = keyId;
  }
}

/** Returns the key with this id; throws a `MissingKeyError` if there is none. */
export function findKey(ring: KeyRing, keyId: string): MasterKey {
  const key = ring.all.find(({ id }) => id === keyId);
  if (key === undefined) throw new MissingKeyError(keyId, ring);
  return key;
}
