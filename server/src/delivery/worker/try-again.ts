import type { RunDeps } from "../deps.ts";
import { tryAndNote, type Run } from "./run.ts";
import type { Attemptable } from "./triage.ts";

export interface TryAgainInput {
  readonly item: Attemptable;
  /** Resolves when the first tries of all devices of the run have ended. */
  readonly othersEnd: Promise<unknown>;
}

/**
 * Retries a device at its retry times until the first tries of the other devices have ended, so that a slow device does not delay
 * another's retry. The next run tries devices that are still unfinished.
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
    // An unchanged device was not tried, because no attempt may begin any more.
    if (before === null || before === last || before.waitsFor !== null) return;
    const waitMs = before.runAt - deps.now();
    if (waitMs > WAIT_MAX_MS || !(await elapsesFirst(waitMs, othersEnd))) return;
    last = before;
    await tryAndNote(deps, run, { item: { before, target }, readAt: NEVER_READ, letNext() {} });
  }
}

/** Longest wait for a retry in the same run. By then the first tries of the other devices have ended. */
const WAIT_MAX_MS = 60_000;

/** A read time that makes the try read the device again after the wait. */
const NEVER_READ = Number.NEGATIVE_INFINITY;

/**
 * Resolves with true after `ms`, or with false if `end` resolves before. Clears the timer, because aborting one creates an error
 * with a stack trace each time.
 */
async function elapsesFirst(ms: number, end: Promise<unknown>): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(true), Math.max(0, ms));
  end.then(() => resolve(false), reject);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}
