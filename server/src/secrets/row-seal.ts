import { hkdfSync } from "node:crypto";
import { decrypt, encrypt, KEY_BYTES } from "./aes-gcm.ts";
import { formatAssociatedData, type SealedColumn } from "./sealed-column.ts";

/** Seals values in rows that must be readable later, so that a copy of the database does not reveal them. */
export interface RowSeal {
  /** Returns the value to store for a text in a column: sealed, or the text itself if this server does not seal. */
  close(text: string, location: SealedColumn): string;
  /** Returns the text of a stored value, sealed or not; null if it does not open in this column. */
  open(stored: string, location: SealedColumn): string | null;
}

const SEAL_VERSION = 1;
/** Prefix of sealed values. No unsealed text begins with it. */
const SEAL_PREFIX = `tocsin-sealed-${SEAL_VERSION}.`;

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
  const getTableKey = (table: string) => {
    const cached = keys.get(table);
    if (cached !== undefined) return cached;
    const key = Buffer.from(hkdfSync("sha256", secret, "", `tocsin rows ${table}`, KEY_BYTES));
    keys.set(table, key);
    return key;
  };
  return {
    close(text, location) {
      if (!isSealing) return text;
      const associatedData = formatAssociatedData(location, SEAL_VERSION);
      return `${SEAL_PREFIX}${encrypt(getTableKey(location.table), { plaintext: Buffer.from(text), associatedData }).toString("base64url")}`;
    },
    open(stored, location) {
      if (!isSealedValue(stored)) return stored;
      const sealed = Buffer.from(stored.slice(SEAL_PREFIX.length), "base64url");
      try {
        return decrypt(getTableKey(location.table), {
          sealed,
          associatedData: formatAssociatedData(location, SEAL_VERSION),
        }).toString();
      } catch {
        return null;
      }
    },
  };
}

/** The seal of callers that neither write values to seal nor read sealed ones. */
export const NO_SEAL: RowSeal = {
  close: (text) => text,
  open: (stored) => (isSealedValue(stored) ? null : stored),
};

/** The `like` pattern of sealed values. */
export const SEALED_LIKE_PATTERN = `${SEAL_PREFIX}%`;

function isSealedValue(stored: string): boolean {
  return stored.startsWith(SEAL_PREFIX);
}
