import { join } from "node:path";
import { SESSION_SECRET_FILE } from "./session-secret.ts";
import { loadOrCreateFile, readFileIfPresent, replaceFile } from "./data-file.ts";
import type { Database } from "#database/database.ts";
import { findSharedSecret, replaceSharedSecret, findOrCreateSharedSecret } from "./store.ts";
import type { KeySettings } from "./load-key-ring.ts";
import type { SealedColumn } from "./sealed-column.ts";

/** The name of the secret that signs sessions, in `shared_secret`. */
export const SESSION_SECRET = "session";
/** The name of the VAPID key pair in `shared_secret`. */
export const VAPID_SECRET = "vapid";
/** The name of a signing secret. */
export type SecretName = typeof SESSION_SECRET | typeof VAPID_SECRET;
/**
 * The names in the order of sealing. A version that cannot unseal does not start with a sealed key pair, but would use
 * a sealed session secret as if it were plain text.
 */
export const SECRET_NAMES: readonly SecretName[] = [VAPID_SECRET, SESSION_SECRET];

/** The file of the VAPID key pair in the data folder. */
export const VAPID_FILE = "vapid.json";

/** The file of each secret in the data folder of a server on SQLite. */
export const SECRET_FILES: Readonly<Record<SecretName, string>> = {
  [SESSION_SECRET]: SESSION_SECRET_FILE,
  [VAPID_SECRET]: VAPID_FILE,
};

/** Stores the signing secrets, sealed or not. */
export interface SecretStore {
  /** Returns the stored secret; null if there is none. */
  find(name: SecretName): Promise<string | null>;
  /** Stores a secret if there is none, and returns the stored one: the first call wins. */
  storeIfMissing(name: SecretName, secret: string): Promise<string>;
  /** Replaces `before` with `after`; returns false if another value is stored. */
  replace(name: SecretName, change: SecretReplacement): Promise<boolean>;
}

/** The stored secret, and the one to store instead. */
interface SecretReplacement {
  readonly before: string;
  readonly after: string;
}

/** One of the server's secrets, as it is stored. */
export interface StoredSecret {
  readonly name: SecretName;
  readonly stored: string;
}

/** Returns the stored secrets, in the order of `SECRET_NAMES`. */
export async function findStoredSecrets(store: SecretStore): Promise<readonly StoredSecret[]> {
  const secrets = await Promise.all(
    SECRET_NAMES.map(async (name) => ({ name, stored: await store.find(name) })),
  );
  return secrets.flatMap(({ name, stored }) => (stored === null ? [] : [{ name, stored }]));
}

/**
 * Returns the store of a server's secrets: files in the data folder on SQLite, otherwise the table that all processes
 * share.
 */
export function createSecretStore(
  { database: location, dataDir }: Pick<KeySettings, "database" | "dataDir">,
  database: Database,
): SecretStore {
  if (location.kind === "sqlite") return createFileSecretStore(dataDir);
  return {
    find: (name) => findSharedSecret(database, name),
    storeIfMissing: (name, secret) => findOrCreateSharedSecret(database, { name, value: secret }),
    replace: (name, change) => replaceSharedSecret(database, { name, ...change }),
  };
}

/** Returns the store of the secrets in files of a data folder. */
export function createFileSecretStore(dataDir: string): SecretStore {
  const getPath = (name: SecretName) => join(dataDir, SECRET_FILES[name]);
  return {
    find: (name) => readFileIfPresent(getPath(name)),
    storeIfMissing: (name, stored) => loadOrCreateFile(getPath(name), () => stored),
    async replace(name, { before, after }) {
      if ((await readFileIfPresent(getPath(name))) !== before) return false;
      await replaceFile(getPath(name), after);
      return true;
    },
  };
}

/**
 * Returns the location that a sealed secret is bound to. A secret in a file has the same location, because it may move
 * to the other engine.
 */
export function getSecretLocation(name: SecretName): SealedColumn {
  return { table: "shared_secret", row: name, column: "value" };
}
