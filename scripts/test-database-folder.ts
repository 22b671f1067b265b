import { existsSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";

/** A file system in memory, in which tests can create hundreds of databases a minute without waiting for a disk. */
const MEMORY_FOLDER = "/dev/shm";
const FREE_MEMORY_MIN_BYTES = 4 * 2 ** 30;

/**
 * Returns the folder for test databases: in memory, or the folder of temporary files if memory is missing or too small.
 */
export function chooseTestDatabaseFolder(): string {
  if (!existsSync(MEMORY_FOLDER)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
  return bavail * bsize >= FREE_MEMORY_MIN_BYTES ? MEMORY_FOLDER : tmpdir();
}
