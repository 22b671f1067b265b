import { existsSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";

/** A file system in memory, where tests create hundreds of databases a minute without waiting for a disk. */
const MEMORY = "/dev/shm";
const MEMORY_MIN_BYTES = 4 * 2 ** 30;

/** Returns the folder for test databases: in memory, or the folder of temporary files if memory is missing or too small. */
export function quickFolder(): string {
  if (!existsSync(MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= MEMORY_MIN_BYTES ? MEMORY : tmpdir();
}
