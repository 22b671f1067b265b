import { join } from "node:path";
import type { DatabaseLocation } from "#database/open.ts";
import { loadOrCreateFile, readFileIfPresent } from "./data-file.ts";
import type { KeyRing } from "./key-ring.ts";
import {
  generateMasterKeyText,
  parseMasterKey,
  type MasterKey,
  type MasterKeys,
} from "./master-key.ts";

/** The file in the data folder with the master key that a server on SQLite generated. */
export const MASTER_KEY_FILE = "master-key";

/** The location of the secrets, and the master keys from the environment. */
export interface KeySettings {
  readonly database: DatabaseLocation;
  readonly dataDir: string;
  readonly masterKeys: MasterKeys;
}

/**
 * Returns the available master keys, from the environment and from the data folder. Without a key in the environment,
 * the folder's key seals, but only on SQLite: nodes on a shared database have separate folders. Throws a
 * `DamagedKeyFileError` if the folder's key file contains no key.
 */
export async function loadKeyRing(settings: KeySettings): Promise<KeyRing> {
  const text = await readFileIfPresent(join(settings.dataDir, MASTER_KEY_FILE));
  return createRing(settings, text === null ? null : parseKeyFile(settings, text));
}

/** Returns the available master keys; on SQLite, creates one if none can seal. */
export async function loadOrCreateKeyRing(settings: KeySettings): Promise<KeyRing> {
  const ring = await loadKeyRing(settings);
  if (ring.current !== null || settings.database.kind === "postgres") return ring;
  const path = join(settings.dataDir, MASTER_KEY_FILE);
  return createRing(
    settings,
    parseKeyFile(settings, await loadOrCreateFile(path, generateMasterKeyText)),
  );
}

function createRing({ database, masterKeys }: KeySettings, folderKey: MasterKey | null): KeyRing {
  const { current, old } = masterKeys;
  const availableKeys = [current, old, folderKey].filter((key) => key !== null);
  return {
    current: current ?? (database.kind === "sqlite" ? folderKey : null),
    all: availableKeys,
  };
}

function parseKeyFile({ dataDir }: KeySettings, text: string): MasterKey {
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
      `${path} is not a master key: it must contain 64 hexadecimal digits. Restore it from your copy.`,
    );
  }
}
