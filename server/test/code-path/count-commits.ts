import { readFile } from "node:fs/promises";

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** Offsets in the header of the log, and in that of a frame. */
const PAGE_SIZE_AT = 8;
const SALTS_AT = 16;
const COMMITTED_SIZE_AT = 4;
const FRAME_SALTS_AT = 8;
const SALTS_BYTES = 8;

/**
 * Returns the number of commits in a write-ahead log of SQLite: the frames that state the size of the database after a
 * commit (sqlite.org/fileformat2.html, section 4.1). Frames from before a checkpoint restarted the log do not count.
 */
export async function countCommits(path: string): Promise<number> {
  const log = await readFile(path);
  const pageBytes = log.readUInt32BE(PAGE_SIZE_AT);
  const salts = log.subarray(SALTS_AT, SALTS_AT + SALTS_BYTES);
  let commits = 0;
  for (
    let offset = HEADER_BYTES;
    offset + FRAME_HEADER_BYTES + pageBytes <= log.length;
    offset += FRAME_HEADER_BYTES + pageBytes
  ) {
    const frameSaltsAt = offset + FRAME_SALTS_AT;
    if (!log.subarray(frameSaltsAt, frameSaltsAt + SALTS_BYTES).equals(salts)) break;
    if (log.readUInt32BE(offset + COMMITTED_SIZE_AT) > 0) commits += 1;
  }
  return commits;
}
