import { setTimeout as wait } from "node:timers/promises";

const LIMIT_MS = 10_000;
const EVERY_MS = 25;

/** Resolves with what `look` finds once `isReached` holds for it; rejects after `limitMs`, showing the last find. */
export async function eventually<T>(
  look: () => Promise<T>,
  isReached: (found: T) => boolean,
  { limitMs = LIMIT_MS }: { readonly limitMs?: number } = {},
): Promise<T> {
  const until = performance.now() + limitMs;
  let found = await look();
  while (!isReached(found)) {
    if (performance.now() > until) {
      throw new Error(`It does not get there: ${JSON.stringify(found, null, 2)}`);
    }
    await wait(EVERY_MS);
    found = await look();
  }
  return found;
}
