import { setTimeout as sleep } from "node:timers/promises";
import { TocsinConnectionError } from "@tocsin/sdk";
import { isTemporary, startElapsedClock } from "../poll-result.ts";

/** The delay before the next attempt. */
const PAUSE_MS = 500;

/** How long to retry a request. */
export interface RetryLimits {
  readonly retryForMs: number;
  /** After an abort, the next error is thrown: there is no further retry. */
  readonly signal: AbortSignal;
}

/**
 * Retries a request while it fails temporarily. Rejects with the last error when the time is over, and at once with an
 * error that no retry can fix.
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

/** No retry fixes a wrong scheme, but a connection that closes without a response does not prove a wrong scheme. */
function canSucceedLater(error: unknown): boolean {
  if (!(error instanceof TocsinConnectionError)) return isTemporary(error);
  return error.schemeFault === null || error.schemeFault === "maybe_not_http";
}
