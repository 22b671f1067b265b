import { existsSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";

/** A file system in memory: hundreds of databases a minute are made there, of hundreds of files, without waiting for a disk. */
const MEMORY = "/dev/shm";
const MEMORY_MIN_BYTES = 4 * 2 ** 30;

/** Returns the folder for databases of tests: in memory, or where there is none or too little, that of temporary files. */
export function quickFolder(): string {
  if (!existsSync(MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= MEMORY_MIN_BYTES ? MEMORY : tmpdir();
}
