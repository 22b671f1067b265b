import type { MasterKey } from "./master-key.ts";

/** The master keys that a process has. */
export interface KeyRing {
  /** Seals; null where none was chosen for that. */
  readonly current: MasterKey | null;
  /** Open, the current one among them. */
  readonly all: readonly MasterKey[];
}

/** A value is sealed with a master key that is not here. */
export class MissingKeyError extends Error {
  override readonly name = "MissingKeyError";
  readonly keyId: string;

  constructor(keyId: string, { all }: KeyRing) {
    const given =
      all.length === 0 ? "none is given" : `given: ${all.map(({ id }) => id).join(", ")}`;
    super(
      `The server's secrets are sealed with the master key ${keyId}, which is not here (${given}). Set TOCSIN_MASTER_KEY_FILE to the file with that key, or TOCSIN_MASTER_KEY to the key itself. Without it they cannot be read: docs/secrets-at-rest.md says what is lost then.`,
    );
    this.keyId = keyId;
  }
}

/** Returns the key with an id; throws a `MissingKeyError`. */
export function findKey(ring: KeyRing, keyId: string): MasterKey {
  const key = ring.all.find(({ id }) => id === keyId);
  if (key === undefined) throw new MissingKeyError(keyId, ring);
  return key;
}
