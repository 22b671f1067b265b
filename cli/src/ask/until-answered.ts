import { setTimeout as sleep } from "node:timers/promises";
import { TocsinConnectionError } from "@tocsin/sdk";
import { isTemporary, startElapsedClock } from "../poll-result.ts";

/** The delay before the next attempt. */
const PAUSE_MS = 500;

/** How long to repeat a request. */
export interface Patience {
  readonly patienceMs: number;
  /** Ends the repetition with the last error. */
  readonly signal: AbortSignal;
}

/** Repeats a request while the server does not answer; rejects with the last error when the time is over. */
export async function untilAnswered<Result>(
  request: () => Promise<Result>,
  { patienceMs, signal }: Patience,
): Promise<Result> {
  const elapsedMs = startElapsedClock();
  for (;;) {
    try {
      return await request();
    } catch (error) {
      if (!mayAnswerLater(error) || signal.aborted || elapsedMs() >= patienceMs) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

/** No repetition mends a wrong scheme. A connection that is closed without a response is no proof of one. */
function mayAnswerLater(error: unknown): boolean {
  if (!(error instanceof TocsinConnectionError)) return isTemporary(error);
  return error.schemeFault === null || error.schemeFault === "maybe_not_http";
}
