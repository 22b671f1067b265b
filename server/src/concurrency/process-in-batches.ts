/** The maximum number of rows per commit, so that other queries are not blocked for long. */
const BATCH_MAX = 500;

/**
 * Calls `processBatch` with a row limit until it processes fewer rows. Once `isStopped` returns true, it finishes the
 * current batch, and the next call processes the remaining rows.
 */
export async function processInBatches(
  isStopped: () => boolean,
  processBatch: (limit: number) => Promise<number>,
): Promise<void> {
  let count: number;
  do {
    count = await processBatch(BATCH_MAX);
  } while (count === BATCH_MAX && !isStopped());
}
