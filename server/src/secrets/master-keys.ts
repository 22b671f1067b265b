import { join } from "node:path";
import type { DatabasePlace } from "#database/open.ts";
import { loadOrCreateFile, readText } from "./data-file.ts";
import type { KeyRing } from "./key-ring.ts";
import { newMasterKeyText, parseMasterKey, type MasterKey, type MasterKeys } from "./master-key.ts";

/** The file in the data folder with the master key that a server on SQLite generated. */
export const MASTER_KEY_FILE = "master-key";

/** The location of the secrets, and the keys from the environment. */
export interface KeySettings {
  readonly database: DatabasePlace;
  readonly dataDir: string;
  readonly masterKeys: MasterKeys;
}

/**
 * Returns the available master keys, from the environment and from the data folder. Without a key in the environment,
 * the folder's key seals, but only on SQLite: nodes on a shared database have separate folders.
 */
export async function loadKeyRing(settings: KeySettings): Promise<KeyRing> {
  const text = await readText(join(settings.dataDir, MASTER_KEY_FILE));
  return createRing(settings, text === null ? null : parseFile(settings, text));
}

/** Returns the available master keys; on SQLite, creates one if none can seal. */
export async function loadOrCreateKeyRing(settings: KeySettings): Promise<KeyRing> {
  const ring = await loadKeyRing(settings);
  if (ring.current !== null || settings.database.kind === "postgres") return ring;
  const path = join(settings.dataDir, MASTER_KEY_FILE);
  return createRing(settings, parseFile(settings, await loadOrCreateFile(path, newMasterKeyText)));
}

function createRing({ database, masterKeys }: KeySettings, folderKey: MasterKey | null): KeyRing {
  const { current, old } = masterKeys;
  const all = [current, old, folderKey].filter((key) => key !== null);
  return { current: current ?? (database.kind === "sqlite" ? folderKey : null), all };
}

function parseFile({ dataDir }: KeySettings, text: string): MasterKey {
  try {
    return parseMasterKey(text);
  } catch {
    throw new DamagedKeyFileError(join(dataDir, MASTER_KEY_FILE));
  }
}

/** Thrown if the master key file in the data folder contains no key. */
export class DamagedKeyFileError extends Error {
  override readonly name = "DamagedKeyFileError";

  constructor(path: string) {
    super(
      `${path} is no master key: it must hold 64 hexadecimal digits. Restore it from your copy.`,
    );
  }
}
