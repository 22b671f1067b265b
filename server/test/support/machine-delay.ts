import type { TestContext } from "node:test";
import { startStealFreeTimer } from "./steal-time.ts";

const PROBE_INTERVAL_MS = 10;

/**
 * Measures, until the test ends, how long this machine keeps a process waiting. Returns a function that returns the
 * longest delay of a timer so far plus the steal time, in milliseconds.
 */
export function watchMachineDelay(test: TestContext): () => number {
  const startedAt = performance.now();
  const readStealFreeMs = startStealFreeTimer();
  let longestMs = 0;
  let lastAt = startedAt;
  const probe = setInterval(() => {
    const now = performance.now();
    longestMs = Math.max(longestMs, now - lastAt - PROBE_INTERVAL_MS);
    lastAt = now;
  }, PROBE_INTERVAL_MS);
  test.after(() => clearInterval(probe));
  return () => longestMs + (performance.now() - startedAt - readStealFreeMs());
}
