import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { restrictToOwner } from "#database/private-file.ts";
import { MASTER_KEY_FILE } from "#secrets/load-key-ring.ts";
import { SECRET_FILES } from "#secrets/secret-store.ts";

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** Files that the server stores in its data folder: a SQLite database with its logs, locks and secrets. */
export const DATA_FILES: readonly string[] = [
  "tocsin.db",
  "tocsin.db-wal",
  "tocsin.db-shm",
  "tocsin.db-journal",
  "server.lock",
  "server.lock-journal",
  MASTER_KEY_FILE,
  ...Object.values(SECRET_FILES),
];

/**
 * Creates the data folder with access only for this user, regardless of the umask, and removes other users' access to
 * it and its files. Returns the paths that others could access.
 */
export async function prepareDataFolder(dataDir: string): Promise<readonly string[]> {
  await mkdir(dataDir, { recursive: true, mode: FOLDER_MODE });
  const files = DATA_FILES.map((name) => join(dataDir, name));
  return [
    ...[dataDir].filter((path) => restrictToOwner(path, FOLDER_MODE)),
    ...files.filter((path) => restrictToOwner(path, FILE_MODE)),
  ];
}
