import { parseMasterKey, type MasterKey } from "#secrets/master-key.ts";
import type { EnvironmentReader } from "./environment-reader.ts";

/** What the environment says of the key over all others. */
export interface MasterKeyConfig {
  readonly current: MasterKey | null;
  /** The one before, while it is changed. */
  readonly old: MasterKey | null;
  /** The file of the current one, where it was read from a file. */
  readonly file: string | null;
}

/** Returns what `TOCSIN_MASTER_KEY…` says. */
export function readMasterKeys(read: EnvironmentReader): MasterKeyConfig {
  const current = readKey(read, "TOCSIN_MASTER_KEY");
  return {
    current,
    old: readKey(read, "TOCSIN_MASTER_KEY_OLD"),
    file: current === null ? null : read.fileOf("TOCSIN_MASTER_KEY"),
  };
}

function readKey(read: EnvironmentReader, name: string): MasterKey | null {
  const text = read.text(name);
  if (text === null) return null;
  try {
    return parseMasterKey(text);
  } catch (error) {
    read.problems.push(`${name}: ${error instanceof Error ? error.message : "cannot be read."}`);
    return null;
  }
}
