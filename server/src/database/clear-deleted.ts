import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Whoever opens the file at the same moment holds it only shortly. */
const BUSY_TIMEOUT_MS = 10_000;

/**
 * Writes a SQLite file anew, so that nothing is left in it of what was deleted or written over; it takes twice as much room
 * in its folder meanwhile. This thread does nothing else until it is done.
 */
export function clearDeleted(path: string): void {
  const file = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    // Elsewhere a container that is read-only has memory alone.
    file.exec(`pragma temp_store_directory = '${dirname(path).replaceAll("'", "''")}'`);
    file.exec("vacuum; pragma wal_checkpoint(truncate)");
  } finally {
    file.close();
  }
}
