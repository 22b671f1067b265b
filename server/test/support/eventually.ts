const TRIES_MAX = 400;
const EVERY_MS = 25;

/** Resolves with what `look` finds once `isReached` holds for it; rejects after ten seconds, showing the last find. */
export async function eventually<T>(
  look: () => Promise<T>,
  isReached: (found: T) => boolean,
): Promise<T> {
  let found = await look();
  for (let tries = 0; tries < TRIES_MAX && !isReached(found); tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    found = await look();
  }
  if (isReached(found)) return found;
  throw new Error(`It does not get there: ${JSON.stringify(found, null, 2)}`);
}
