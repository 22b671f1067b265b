import { setTimeout as wait } from "node:timers/promises";
import type { DeliveryParts } from "./parts.ts";
import { tryDevice, type TryInput } from "./try-device.ts";

/**
 * Tries a device again at its moments until `othersEnd` resolves: one of its job that answers late keeps nobody waiting.
 * What is still owed then is the next run's.
 */
export async function tryAgain(
  parts: DeliveryParts,
  input: Omit<TryInput, "instead" | "letNext">,
  othersEnd: Promise<unknown>,
): Promise<void> {
  let last = input.item.before;
  for (;;) {
    const before = input.progress.owedTo(last.deviceId);
    // Who is as it was before has not been tried: nothing may be begun any more.
    if (before === null || before === last || before.waitsFor !== null) return;
    const waitMs = before.runAt - parts.now();
    if (waitMs > WAIT_MAX_MS || !(await comesFirst(waitMs, othersEnd))) return;
    last = before;
    const item = { before, target: input.item.target };
    await tryDevice(parts, { ...input, item, readAt: NEVER, instead: null, letNext() {} });
  }
}

/** By then others have answered, or were given up. */
const WAIT_MAX_MS = 60_000;

/** What was read before an attempt is read again after the wait for the next one. */
const NEVER = 0;

/** Resolves with true when the time is over, or with false where the end comes before. */
async function comesFirst(ms: number, end: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController();
  const over = wait(Math.max(0, ms), true, { signal: timer.signal }).catch(() => false);
  try {
    return await Promise.race([over, end.then(() => false)]);
  } finally {
    timer.abort();
  }
}
