import { join } from "node:path";
import type { DatabasePlace } from "#database/open.ts";
import { loadOrCreateFile, readText } from "./data-file.ts";
import type { KeyRing } from "./key-ring.ts";
import { newMasterKeyText, parseMasterKey, type MasterKey, type MasterKeys } from "./master-key.ts";

/** The file in the data folder with the master key that a server on SQLite made for itself. */
export const MASTER_KEY_FILE = "master-key";

/** Location of the secrets, and the keys that the environment names. */
export interface KeySettings {
  readonly database: DatabasePlace;
  readonly dataDir: string;
  readonly masterKeys: MasterKeys;
}

/**
 * Returns the master keys that are here: those of the environment, and that of the data folder. The latter seals if the
 * environment has none, but on SQLite alone: nodes that share a database share no folder.
 */
export async function loadKeyRing(settings: KeySettings): Promise<KeyRing> {
  const text = await readText(join(settings.dataDir, MASTER_KEY_FILE));
  return ringOf(settings, text === null ? null : parseFile(settings, text));
}

/** Returns the master keys that are here; on SQLite, creates one if none would seal. */
export async function loadOrCreateKeyRing(settings: KeySettings): Promise<KeyRing> {
  const ring = await loadKeyRing(settings);
  if (ring.current !== null || settings.database.kind === "postgres") return ring;
  const path = join(settings.dataDir, MASTER_KEY_FILE);
  return ringOf(settings, parseFile(settings, await loadOrCreateFile(path, newMasterKeyText)));
}

function ringOf({ database, masterKeys }: KeySettings, own: MasterKey | null): KeyRing {
  const { current, old } = masterKeys;
  const all = [current, old, own].filter((key) => key !== null);
  return { current: current ?? (database.kind === "sqlite" ? own : null), all };
}

function parseFile({ dataDir }: KeySettings, text: string): MasterKey {
  try {
    return parseMasterKey(text);
  } catch {
    throw new DamagedKeyFileError(join(dataDir, MASTER_KEY_FILE));
  }
}

/** Thrown if the master key file in the data folder holds no key. */
export class DamagedKeyFileError extends Error {
  override readonly name = "DamagedKeyFileError";

  constructor(path: string) {
    super(
      `${path} is no master key: it must hold 64 hexadecimal digits. Restore it from your copy.`,
    );
  }
}
