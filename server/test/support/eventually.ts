import { setTimeout as wait } from "node:timers/promises";
import { startStealFreeTimer } from "./steal-time.ts";

const LIMIT_MS = 10_000;
const POLL_INTERVAL_MS = 25;

/**
 * Calls `read` until `isReached` accepts its result, and resolves with that result. After `limitMs`, not counting
 * steal time, rejects with an error that shows the last result.
 */
export async function eventually<T>(
  read: () => Promise<T>,
  isReached: (result: T) => boolean,
  { limitMs = LIMIT_MS }: { readonly limitMs?: number } = {},
): Promise<T> {
  const readElapsedMs = startStealFreeTimer();
  let result = await read();
  while (!isReached(result)) {
    if (readElapsedMs() > limitMs) {
      throw new Error(`Condition not reached: ${JSON.stringify(result, null, 2)}`);
    }
    await wait(POLL_INTERVAL_MS);
    result = await read();
  }
  return result;
}
