/** Most rows of one commit: others are not blocked for long. */
const BATCH_MAX = 500;

/**
 * Calls `take` with a limit of rows until it takes fewer. Once `isStopped`, it finishes the batch under way and leaves
 * the rest for the next time.
 */
export async function inBatches(
  isStopped: () => boolean,
  take: (limit: number) => Promise<number>,
): Promise<void> {
  let count: number;
  do {
    count = await take(BATCH_MAX);
  } while (count === BATCH_MAX && !isStopped());
}
