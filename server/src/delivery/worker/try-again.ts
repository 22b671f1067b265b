import type { RunDeps } from "../deps.ts";
import { tryDevice, type TryInput } from "../attempt/try-device.ts";

/**
 * Tries a device again at its moments until `othersEnd` resolves: one of its job that answers late keeps nobody waiting.
 * What is still owed then is the next run's.
 */
export async function tryAgain(
  deps: RunDeps,
  input: Omit<TryInput, "instead" | "letNext">,
  othersEnd: Promise<unknown>,
): Promise<void> {
  let last = input.item.before;
  for (;;) {
    const before = input.progress.owedTo(last.deviceId);
    // Who is as it was before has not been tried: nothing may be begun any more.
    if (before === null || before === last || before.waitsFor !== null) return;
    const waitMs = before.runAt - deps.now();
    if (waitMs > WAIT_MAX_MS || !(await comesFirst(waitMs, othersEnd))) return;
    last = before;
    const item = { before, target: input.item.target };
    await tryDevice(deps, { ...input, item, readAt: NEVER, instead: null, letNext() {} });
  }
}

/** The longest wait within a run: by then the others have answered, or were given up. */
const WAIT_MAX_MS = 60_000;

/** A device that was read before an attempt is read again before the next one. */
const NEVER = Number.NEGATIVE_INFINITY;

/**
 * Resolves with true when the time is over, or with false where the end comes before. Very many may wait: a timer that is cleared
 * costs nothing, while one that is aborted makes an error with a trace each time.
 */
async function comesFirst(ms: number, end: Promise<unknown>): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(true), Math.max(0, ms));
  end.then(() => resolve(false), reject);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}
