import { hkdfSync } from "node:crypto";
import { decrypt, encrypt, KEY_BYTES } from "./aes-gcm.ts";
import { associatedData, type SealedColumn } from "./place.ts";

/** Seals values in rows that must be readable later, so that a copy of the database does not reveal them. */
export interface RowSeal {
  /** Returns the value to store for a text in a column: sealed, or the text itself if this server does not seal. */
  close(text: string, place: SealedColumn): string;
  /** Returns the text of a stored value, sealed or not; null if it does not open in this column. */
  open(stored: string, place: SealedColumn): string | null;
}

const VERSION = 1;
/** Prefix of sealed values. No unsealed text begins with it. */
const PREFIX = `tocsin-sealed-${VERSION}.`;

/**
 * Returns the seal of a server. It has one key for each table, derived from the session secret (RFC 5869). The master
 * key seals only the session secret, so a new master key changes no row. Sealed values open even if `isSealing` is
 * false.
 */
export function createRowSeal({
  secret,
  isSealing,
}: {
  readonly secret: string;
  readonly isSealing: boolean;
}): RowSeal {
  const keys = new Map<string, Buffer>();
  const keyOf = (table: string) => {
    const cached = keys.get(table);
    if (cached !== undefined) return cached;
    const key = Buffer.from(hkdfSync("sha256", secret, "", `tocsin rows ${table}`, KEY_BYTES));
    keys.set(table, key);
    return key;
  };
  return {
    close(text, place) {
      if (!isSealing) return text;
      const bound = associatedData(place, VERSION);
      return `${PREFIX}${encrypt(keyOf(place.table), { plain: Buffer.from(text), bound }).toString("base64url")}`;
    },
    open(stored, place) {
      if (!isSealedRow(stored)) return stored;
      const sealed = Buffer.from(stored.slice(PREFIX.length), "base64url");
      try {
        return decrypt(keyOf(place.table), {
          sealed,
          bound: associatedData(place, VERSION),
        }).toString();
      } catch {
        return null;
      }
    },
  };
}

/** For callers that neither write values to seal nor read sealed ones. */
export const NO_SEAL: RowSeal = {
  close: (text) => text,
  open: (stored) => (isSealedRow(stored) ? null : stored),
};

/** Pattern of sealed values for a `like` query. */
export const SEALED_LIKE = `${PREFIX}%`;

function isSealedRow(stored: string): boolean {
  return stored.startsWith(PREFIX);
}
