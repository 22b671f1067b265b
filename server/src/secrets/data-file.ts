import { randomBytes } from "node:crypto";
import { link, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** Returns the trimmed text of a file; null if it does not exist. */
export async function readFileIfPresent(path: string): Promise<string | null> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

/**
 * Returns the text of a file; creates it if it does not exist, readable only by its owner. The file appears complete
 * or not at all, and if two processes create it concurrently, the first one wins.
 */
export async function loadOrCreateFile(path: string, generate: () => string): Promise<string> {
  const text = await readFileIfPresent(path);
  if (text !== null) return text;
  const temporaryPath = createTemporaryPath(path);
  try {
    await writeFile(temporaryPath, `${generate()}\n`, { mode: 0o600, flag: "wx", flush: true });
    await link(temporaryPath, path);
    await flushFolder(dirname(path));
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  } finally {
    await rm(temporaryPath, { force: true });
  }
  return (await readFileIfPresent(path)) ?? "";
}

/**
 * Replaces the text of a file, readable only by its owner, and resolves once it is on the disk. The file contains
 * either the old or the new text at any time, never a part.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporaryPath = createTemporaryPath(path);
  try {
    await writeFile(temporaryPath, `${text}\n`, { mode: 0o600, flag: "wx", flush: true });
    await rename(temporaryPath, path);
    await flushFolder(dirname(path));
  } finally {
    await rm(temporaryPath, { force: true });
  }
}

/** Flushes a folder to disk: otherwise, a power cut may bring back the replaced file. */
async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function createTemporaryPath(path: string): string {
  return `${path}.${randomBytes(6).toString("hex")}`;
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
