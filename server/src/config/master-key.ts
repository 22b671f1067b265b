import { parseMasterKey, type MasterKey, type MasterKeys } from "#secrets/master-key.ts";
import type { EnvironmentReader } from "./environment-reader.ts";

/** Returns the master keys of `TOCSIN_MASTER_KEY…`. */
export function readMasterKeys(read: EnvironmentReader): MasterKeys {
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
