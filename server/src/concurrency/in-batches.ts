/** No commit takes more rows: others are not held up for long. */
const BATCH_MAX = 500;

/**
 * Has `take` take so many rows at once, again and again, until it took fewer. Once `isStopped`, what is left after the batch
 * under way is for the next time.
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
