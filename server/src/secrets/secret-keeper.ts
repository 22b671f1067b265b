import { join } from "node:path";
import { SECRET_FILE } from "./session-secret.ts";
import { loadOrCreateFile, readText, replaceFile } from "./data-file.ts";
import type { Database } from "#database/database.ts";
import { findSharedSecret, replaceSharedSecret, shareSecret } from "./store.ts";
import type { KeySettings } from "./master-keys.ts";
import type { SealedColumn } from "./place.ts";

/** Names of the signing secrets in `shared_secret`. */
export const SESSION = "session";
export const VAPID = "vapid";
export type SecretName = typeof SESSION | typeof VAPID;
/**
 * Names in the order of sealing. Versions without sealing stop at a sealed key pair, but would sign with a sealed
 * session secret as if it were plain.
 */
export const SECRET_NAMES: readonly SecretName[] = [VAPID, SESSION];

export const VAPID_FILE = "vapid.json";

/** File names on SQLite, by the name of the same secret in PostgreSQL. */
export const SECRET_FILES: Readonly<Record<SecretName, string>> = {
  [SESSION]: SECRET_FILE,
  [VAPID]: VAPID_FILE,
};

/** Stores the signing secrets, sealed or not. */
export interface SecretKeeper {
  find(name: SecretName): Promise<string | null>;
  /** Stores a secret if there is none, and returns the stored one: the first offer wins. */
  offer(name: SecretName, stored: string): Promise<string>;
  /** Replaces `before` with `after`; returns false if another value is stored. */
  replace(name: SecretName, change: SecretReplacement): Promise<boolean>;
}

interface SecretReplacement {
  readonly before: string;
  readonly after: string;
}

/** One of the server's secrets, as it is stored. */
export interface Kept {
  readonly name: SecretName;
  readonly stored: string;
}

/** Returns the stored secrets, in the order of `SECRET_NAMES`. */
export async function findKept(keeper: SecretKeeper): Promise<readonly Kept[]> {
  const found = await Promise.all(
    SECRET_NAMES.map(async (name) => ({ name, stored: await keeper.find(name) })),
  );
  return found.flatMap(({ name, stored }) => (stored === null ? [] : [{ name, stored }]));
}

/**
 * Returns the keeper of a server's secrets: files in the data folder on SQLite, otherwise the table that all processes
 * share.
 */
export function keeperOf(
  { database: place, dataDir }: Pick<KeySettings, "database" | "dataDir">,
  database: Database,
): SecretKeeper {
  if (place.kind === "sqlite") return fileKeeper(dataDir);
  return {
    find: (name) => findSharedSecret(database, name),
    offer: (name, offered) => shareSecret(database, { name, offered }),
    replace: (name, change) => replaceSharedSecret(database, { name, ...change }),
  };
}

/** Returns a keeper for secrets in files of a data folder. */
export function fileKeeper(dataDir: string): SecretKeeper {
  const pathOf = (name: SecretName) => join(dataDir, SECRET_FILES[name]);
  return {
    find: (name) => readText(pathOf(name)),
    offer: (name, stored) => loadOrCreateFile(pathOf(name), () => stored),
    async replace(name, { before, after }) {
      if ((await readText(pathOf(name))) !== before) return false;
      await replaceFile(pathOf(name), after);
      return true;
    },
  };
}

/**
 * Returns the location that a secret is bound to. It is the same for a file, because a secret may move to the other
 * engine.
 */
export function placeOfSecret(name: SecretName): SealedColumn {
  return { table: "shared_secret", row: name, column: "value" };
}
