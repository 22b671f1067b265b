import type { RunDeps } from "../deps.ts";
import { tryAndNote, type Run } from "./run.ts";
import type { Attemptable } from "./triage.ts";

export interface TryAgainInput {
  readonly item: Attemptable;
  /** Resolves when the first tries of all devices of the run have ended. */
  readonly othersEnd: Promise<unknown>;
}

/**
 * Tries a device again at its moments until the others' first tries have ended: a device that answers late delays no retry
 * of another. The next run tries those that are still owed then.
 */
export async function tryAgain(
  deps: RunDeps,
  run: Run,
  { item, othersEnd }: TryAgainInput,
): Promise<void> {
  const { target } = item;
  let last = item.before;
  for (;;) {
    const before = run.progress.owedTo(target.deviceId);
    // A device that stands as it did has not been tried: no attempt may begin any more.
    if (before === null || before === last || before.waitsFor !== null) return;
    const waitMs = before.runAt - deps.now();
    if (waitMs > WAIT_MAX_MS || !(await comesFirst(waitMs, othersEnd))) return;
    last = before;
    await tryAndNote(deps, run, { item: { before, target }, readAt: LONG_AGO, letNext() {} });
  }
}

/** The other devices have answered or were given up by then. */
const WAIT_MAX_MS = 60_000;

/** A device that was read before its last attempt is read again after the wait. */
const LONG_AGO = Number.NEGATIVE_INFINITY;

/**
 * Resolves with true once the time is over, or with false where the end comes before. Clearing a timer costs nothing, while
 * aborting one makes an error with a trace each time.
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
