import { DatabaseSync } from "node:sqlite";
import { ensurePrivateFile } from "./private-file.ts";

/** Longest wait for another process that uses the file. Such a process locks the file only briefly. */
const BUSY_TIMEOUT_MS = 10_000;

/**
 * Writes a consistent snapshot of a SQLite file to `copyPath`. Other processes may write meanwhile. Throws if the copy
 * is damaged. Blocks this thread until the copy is complete.
 */
export function copySqlite(sourcePath: string, copyPath: string): void {
  ensurePrivateFile(copyPath);
  const source = new DatabaseSync(sourcePath, { timeout: BUSY_TIMEOUT_MS });
  try {
    // The copy is one read transaction: writers append to the log meanwhile.
    source.prepare("vacuum into ?").run(copyPath);
  } finally {
    source.close();
  }
  const snapshot = new DatabaseSync(copyPath, { readOnly: true });
  try {
    const [row] = snapshot.prepare("pragma integrity_check").all();
    if (row?.["integrity_check"] !== "ok") throw new Error(`${sourcePath} is damaged.`);
  } finally {
    snapshot.close();
  }
}
