import { randomBytes } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";

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
 * Returns the text of a file that is made once, readable by its owner alone. The file is there whole or not
 * at all, and of two processes that make it at once the first wins.
 */
export async function loadOrCreateFile(path: string, make: () => string): Promise<string> {
  const text = await readText(path);
  if (text !== null) return text;
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    await writeFile(draft, `${make()}\n`, { mode: 0o600, flag: "wx", flush: true });
    await link(draft, path);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  } finally {
    await rm(draft, { force: true });
  }
  return (await readText(path)) ?? "";
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
