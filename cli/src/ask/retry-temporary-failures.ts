import { setTimeout as sleep } from "node:timers/promises";
import { TocsinConnectionError } from "@tocsin/sdk";
import { isTemporary, startElapsedClock } from "../poll-result.ts";

/** The delay before the next attempt. */
const PAUSE_MS = 500;

/** How long to repeat a request. */
export interface RetryLimits {
  readonly retryForMs: number;
  /** After an abort, the next error is thrown instead of a repetition. */
  readonly signal: AbortSignal;
}

/**
 * Repeats a request while it fails temporarily. Rejects with the last error when the time is over, and at once with an
 * error that no repetition can fix.
 */
export async function retryTemporaryFailures<Result>(
  request: () => Promise<Result>,
  { retryForMs, signal }: RetryLimits,
): Promise<Result> {
  const elapsedMs = startElapsedClock();
  for (;;) {
    try {
      return await request();
    } catch (error) {
      if (!canSucceedLater(error) || signal.aborted || elapsedMs() >= retryForMs) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

/** No repetition fixes a wrong scheme, but a connection that closes without a response does not prove a wrong one. */
function canSucceedLater(error: unknown): boolean {
  if (!(error instanceof TocsinConnectionError)) return isTemporary(error);
  return error.schemeFault === null || error.schemeFault === "maybe_not_http";
}
