import { readFile } from "node:fs/promises";

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/**
 * Returns the number of commits in a write-ahead log of SQLite: the frames that state the size of the database after a
 * commit (sqlite.org/fileformat2.html, section 4.1). Frames from before a checkpoint restarted the log do not count.
 */
export async function countCommits(path: string): Promise<number> {
  const log = await readFile(path);
  const pageBytes = log.readUInt32BE(8);
  const salts = log.subarray(16, 24);
  let commits = 0;
  for (
    let offset = HEADER_BYTES;
    offset + FRAME_HEADER_BYTES + pageBytes <= log.length;
    offset += FRAME_HEADER_BYTES + pageBytes
  ) {
    if (!log.subarray(offset + 8, offset + 16).equals(salts)) break;
    if (log.readUInt32BE(offset + 4) > 0) commits += 1;
  }
  return commits;
}
