import { parseMasterKey, type MasterKey, type MasterKeys } from "#secrets/master-key.ts";
import type { EnvironmentReader } from "./environment-reader.ts";

/** Returns the master keys in `TOCSIN_MASTER_KEY` and `TOCSIN_MASTER_KEY_OLD`. */
export function readMasterKeys(reader: EnvironmentReader): MasterKeys {
  const current = readKey(reader, "TOCSIN_MASTER_KEY");
  return {
    current,
    old: readKey(reader, "TOCSIN_MASTER_KEY_OLD"),
    file: current === null ? null : reader.findFilePath("TOCSIN_MASTER_KEY"),
  };
}

function readKey(reader: EnvironmentReader, name: string): MasterKey | null {
  const text = reader.readText(name);
  if (text === null) return null;
  try {
    return parseMasterKey(text);
  } catch (error) {
    reader.problems.push(`${name}: ${error instanceof Error ? error.message : "cannot be read."}`);
    return null;
  }
}
