import type { RunDeps } from "../deps.ts";
import { tryAndRecord, type Run } from "./run.ts";
import type { DueDevice } from "./triage.ts";

/** A device to retry while other devices of its run are still being tried. */
export interface RetryWithinRunInput {
  readonly dueDevice: DueDevice;
  /** Resolves when the first tries of all devices of the run have ended. */
  readonly firstTriesEnd: Promise<unknown>;
}

/**
 * Retries a device at its retry times until the first tries of the other devices have ended, so that a slow device does
 * not delay another's retry. The next run tries devices that are still unfinished.
 */
export async function retryWithinRun(
  deps: RunDeps,
  run: Run,
  { dueDevice, firstTriesEnd }: RetryWithinRunInput,
): Promise<void> {
  const { target } = dueDevice;
  let lastTried = dueDevice.pendingDevice;
  for (;;) {
    const pendingDevice = run.progress.findPending(target.deviceId);
    // An unchanged device was not tried: the lease ends soon or the worker stops, so no attempt may begin.
    if (pendingDevice === null || pendingDevice === lastTried || pendingDevice.waitsFor !== null)
      return;
    const waitMs = pendingDevice.runAt - deps.now();
    if (waitMs > WAIT_MAX_MS || !(await elapsesBefore(waitMs, firstTriesEnd))) return;
    lastTried = pendingDevice;
    await tryAndRecord(deps, run, {
      dueDevice: { pendingDevice, target },
      readAt: NEVER_READ,
      allowNext() {},
    });
  }
}

/** Longest wait for a retry in the same run. A longer wait would outlast the first tries anyway, so it sets no timer. */
const WAIT_MAX_MS = 60_000;

/** A read time that forces the try to read the device again after the wait. */
const NEVER_READ = Number.NEGATIVE_INFINITY;

/**
 * Resolves with true after `ms`, or with false if `end` resolves before. Uses `setTimeout` and not `timers/promises`
 * with an abort signal, because each abort creates an error with a stack trace.
 */
async function elapsesBefore(ms: number, end: Promise<unknown>): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(true), Math.max(0, ms));
  end.then(() => resolve(false), reject);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}
