import { hkdfSync } from "node:crypto";
import { decrypt, encrypt, KEY_BYTES } from "./aes-gcm.ts";
import { boundTo, type Place } from "./place.ts";

/** Seals values in rows that must be read again, so that a copy of the database alone does not tell them. */
export interface RowSeal {
  /** Returns what to store of a text at a place: sealed, or where nothing is sealed the text itself. */
  close(text: string, place: Place): string;
  /** Returns the text in what is stored at a place, sealed or not; null where it does not open there. */
  open(stored: string, place: Place): string | null;
}

const VERSION = 1;
/** No text of ours begins like that. */
const MARK = `tocsin-sealed-${VERSION}.`;

/**
 * Returns the seal of a server, whose keys follow from its session secret (RFC 5869), one for each table. As that secret is
 * all that the master key seals for it, another master key changes no row. What is sealed opens also where nothing more
 * `isSealing`.
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
    const known = keys.get(table);
    if (known !== undefined) return known;
    const key = Buffer.from(hkdfSync("sha256", secret, "", `tocsin rows ${table}`, KEY_BYTES));
    keys.set(table, key);
    return key;
  };
  return {
    close(text, place) {
      if (!isSealing) return text;
      const bound = boundTo(place, VERSION);
      return `${MARK}${encrypt(keyOf(place.table), { plain: Buffer.from(text), bound }).toString("base64url")}`;
    },
    open(stored, place) {
      if (!isSealedRow(stored)) return stored;
      const sealed = Buffer.from(stored.slice(MARK.length), "base64url");
      try {
        return decrypt(keyOf(place.table), { sealed, bound: boundTo(place, VERSION) }).toString();
      } catch {
        return null;
      }
    },
  };
}

/** For who writes nothing that must be sealed, and reads nothing that is. */
export const NO_SEAL: RowSeal = {
  close: (text) => text,
  open: (stored) => (isSealedRow(stored) ? null : stored),
};

/** What sealed values begin with, for a question to the database. */
export const SEALED_LIKE = `${MARK}%`;

function isSealedRow(stored: string): boolean {
  return stored.startsWith(MARK);
}
