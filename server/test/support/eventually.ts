import { setTimeout as wait } from "node:timers/promises";
import { startOwnTime } from "./own-time.ts";

const LIMIT_MS = 10_000;
const EVERY_MS = 25;

/** Resolves with what `look` finds once `isReached` holds for it; rejects after `limitMs` of own time, showing the last find. */
export async function eventually<T>(
  look: () => Promise<T>,
  isReached: (found: T) => boolean,
  { limitMs = LIMIT_MS }: { readonly limitMs?: number } = {},
): Promise<T> {
  const ownMs = startOwnTime();
  let found = await look();
  while (!isReached(found)) {
    if (ownMs() > limitMs) {
      throw new Error(`It does not get there: ${JSON.stringify(found, null, 2)}`);
    }
    await wait(EVERY_MS);
    found = await look();
  }
  return found;
}
