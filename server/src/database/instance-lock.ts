import { DatabaseSync } from "node:sqlite";
import { ensurePrivateFile } from "./private-file.ts";

/**
 * Makes this process the only server on a data folder, until the returned function is called or the process ends,
 * even if it is killed. Throws if another server runs there: each would consider the other's leases abandoned.
 */
export function lockInstance(lockPath: string): () => void {
  ensurePrivateFile(lockPath);
  const lock = new DatabaseSync(lockPath, { timeout: 0 });
  try {
    // SQLite's file lock, which the operating system releases even after a kill.
    lock.exec("pragma journal_mode = delete; begin exclusive");
  } catch (error) {
    lock.close();
    const message =
      "Another Tocsin server is using this data folder. Stop it, or choose another folder.";
    throw new Error(message, { cause: error });
  }
  return () => lock.close();
}
