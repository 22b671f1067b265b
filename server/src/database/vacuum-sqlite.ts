import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Longest wait for another process that uses the file. Such a process locks the file only briefly. */
const BUSY_TIMEOUT_MS = 10_000;

/**
 * Rewrites a SQLite file (`vacuum`), so that the file contains no deleted or overwritten data. Meanwhile the file's
 * folder needs free space of twice the file's size: for a copy, and for the write-ahead log. Blocks this thread until
 * the file is rewritten.
 */
export function vacuumSqlite(path: string): void {
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    // In a read-only container, any other folder is in memory.
    database.exec(`pragma temp_store_directory = '${dirname(path).replaceAll("'", "''")}'`);
    database.exec("vacuum; pragma wal_checkpoint(truncate)");
  } finally {
    database.close();
  }
}
