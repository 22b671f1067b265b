import { DatabaseSync } from "node:sqlite";
import { keepPrivate } from "./private-file.ts";

/**
 * Makes this process the only server on a data folder, until the returned function is called or the process ends in
 * any way. Throws if another server runs there: it would consider this one's leases abandoned.
 */
export function lockInstance(path: string): () => void {
  keepPrivate(path);
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    // SQLite's file lock, which the operating system releases even after a kill.
    lock.exec("pragma journal_mode = delete; begin exclusive");
  } catch (error) {
    lock.close();
    throw new Error("Another Tocsin server runs on this data folder. Stop it, or use another.", {
      cause: error,
    });
  }
  return () => lock.close();
}
