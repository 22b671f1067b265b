import { randomBytes } from "node:crypto";
import { link, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** Returns the trimmed text of a file; null where there is none. */
export async function readText(path: string): Promise<string | null> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

/**
 * Returns the text of a file that is created once, readable by its owner alone. The file is there whole or not at all,
 * and of two processes that create it at once the first wins.
 */
export async function loadOrCreateFile(path: string, make: () => string): Promise<string> {
  const text = await readText(path);
  if (text !== null) return text;
  const draft = draftOf(path);
  try {
    await writeFile(draft, `${make()}\n`, { mode: 0o600, flag: "wx", flush: true });
    await link(draft, path);
    await flushFolder(dirname(path));
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  } finally {
    await rm(draft, { force: true });
  }
  return (await readText(path)) ?? "";
}

/**
 * Replaces the text of a file, readable by its owner alone, and resolves once it is on the disk. At every moment the
 * old or the new text is there, whole.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const draft = draftOf(path);
  try {
    await writeFile(draft, `${text}\n`, { mode: 0o600, flag: "wx", flush: true });
    await rename(draft, path);
    await flushFolder(dirname(path));
  } finally {
    await rm(draft, { force: true });
  }
}

/** Without this, a power cut may bring back the replaced file. */
async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function draftOf(path: string): string {
  return `${path}.${randomBytes(6).toString("hex")}`;
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
