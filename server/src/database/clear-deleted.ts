import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Longest wait for another process that uses the file. It locks the file only briefly. */
const BUSY_TIMEOUT_MS = 10_000;

/**
 * Rewrites a SQLite file, so that it contains no deleted or overwritten data. Meanwhile it needs twice the space in
 * the file's folder. Blocks this thread until it is done.
 */
export function clearDeleted(path: string): void {
  const file = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    // In a read-only container, any other folder is in memory.
    file.exec(`pragma temp_store_directory = '${dirname(path).replaceAll("'", "''")}'`);
    file.exec("vacuum; pragma wal_checkpoint(truncate)");
  } finally {
    file.close();
  }
}
