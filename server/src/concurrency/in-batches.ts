/** Maximum number of rows per commit, so that others are not blocked for long. */
const BATCH_MAX = 500;

/**
 * Calls `processBatch` with a row limit until it processes fewer rows. Once `isStopped` is true, it finishes the
 * current batch and leaves the rest for the next call.
 */
export async function inBatches(
  isStopped: () => boolean,
  processBatch: (limit: number) => Promise<number>,
): Promise<void> {
  let count: number;
  do {
    count = await processBatch(BATCH_MAX);
  } while (count === BATCH_MAX && !isStopped());
}
