import { DatabaseSync } from "node:sqlite";
import { keepPrivate } from "./private-file.ts";

/** Whoever opens the file at the same moment holds it only shortly. */
const BUSY_TIMEOUT_MS = 10_000;

/**
 * Writes a copy of a SQLite file, as it is at one moment, to a path where nothing is yet; others may write meanwhile.
 * Throws where the copy is not sound. This thread does nothing else until it is done.
 */
export function copySqlite(path: string, copy: string): void {
  keepPrivate(copy);
  const source = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    // One reading transaction: writers go on, beside it in the log.
    source.prepare("vacuum into ?").run(copy);
  } finally {
    source.close();
  }
  const made = new DatabaseSync(copy, { readOnly: true });
  try {
    const [row] = made.prepare("pragma integrity_check").all();
    if (row?.["integrity_check"] !== "ok") throw new Error(`${path} is damaged.`);
  } finally {
    made.close();
  }
}
