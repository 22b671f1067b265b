import { DatabaseSync } from "node:sqlite";
import { keepPrivate } from "./private-file.ts";

/** Longest wait for another process that uses the file. It locks the file only briefly. */
const BUSY_TIMEOUT_MS = 10_000;

/**
 * Writes a consistent snapshot of a SQLite file to a new path. Other processes may write meanwhile. Throws if the copy
 * is damaged. Blocks this thread until it is done.
 */
export function copySqlite(path: string, copy: string): void {
  keepPrivate(copy);
  const source = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    // One read transaction: writers continue in the log meanwhile.
    source.prepare("vacuum into ?").run(copy);
  } finally {
    source.close();
  }
  const snapshot = new DatabaseSync(copy, { readOnly: true });
  try {
    const [row] = snapshot.prepare("pragma integrity_check").all();
    if (row?.["integrity_check"] !== "ok") throw new Error(`${path} is damaged.`);
  } finally {
    snapshot.close();
  }
}
