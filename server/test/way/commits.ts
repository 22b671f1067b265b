import { readFile } from "node:fs/promises";

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/**
 * Returns how many commits a write-ahead log of SQLite holds: frames that name the size of the database after a commit
 * (sqlite.org/fileformat2.html, section 4.1). Frames from before the log was last begun anew do not count.
 */
export async function commitsIn(path: string): Promise<number> {
  const log = await readFile(path);
  const pageBytes = log.readUInt32BE(8);
  const salts = log.subarray(16, 24);
  let commits = 0;
  for (
    let at = HEADER_BYTES;
    at + FRAME_HEADER_BYTES + pageBytes <= log.length;
    at += FRAME_HEADER_BYTES + pageBytes
  ) {
    if (!log.subarray(at + 8, at + 16).equals(salts)) break;
    if (log.readUInt32BE(at + 4) > 0) commits += 1;
  }
  return commits;
}
