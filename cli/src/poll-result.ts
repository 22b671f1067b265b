import { setTimeout as sleep } from "node:timers/promises";
import {
  TocsinConnectionError,
  TocsinError,
  type DeviceResult,
  type SendResult,
  type WithNotificationId,
} from "@tocsin/sdk";

type Result = WithNotificationId<SendResult>;

/** The result of a notification at the end of the polling. */
export interface PollResult {
  readonly result: Result;
  /** True if every outcome is final. */
  readonly isComplete: boolean;
}

/** How to repeat the request, and for how long. */
export interface PollOptions {
  /**
   * Repeats the request with the same idempotency key. The server does not send again, and returns the current result.
   */
  readonly repeat: (signal: AbortSignal) => Promise<Result>;
  readonly waitMs: number;
  /** Called with the current result before each wait. */
  readonly onWait: (result: Result) => void;
}

/** The delay before the second request. It doubles with each further request. */
const PAUSE_FIRST_MS = 500;
const PAUSE_MAX_MS = 15_000;
/** Well below the idempotency window of 24 hours, after which a repetition would send again. */
const REPEATABLE_MAX_MS = 20 * 60 * 60 * 1_000;

/** Polls the result of a notification until every device has its final outcome or `waitMs` has passed. */
export async function pollUntilFinal(
  firstResult: Result,
  { repeat, waitMs, onWait }: PollOptions,
): Promise<PollResult> {
  const elapsedMs = startElapsedClock();
  let result = firstResult;
  for (let pauseMs = PAUSE_FIRST_MS; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MAX_MS)) {
    if (!hasQueued(result)) return { result, isComplete: !isAudienceTooLarge(result) };
    const remainingMs = waitMs - elapsedMs();
    if (remainingMs <= 0) return { result, isComplete: false };
    onWait(result);
    await sleep(Math.min(pauseMs, remainingMs));
    if (elapsedMs() > REPEATABLE_MAX_MS) return { result, isComplete: false };
    result =
      (await repeatWithin(repeat, Math.max(waitMs - elapsedMs(), LAST_TIMEOUT_MIN_MS))) ?? result;
  }
}

/** The minimum timeout of a request, for one that starts shortly before the time is over. */
const LAST_TIMEOUT_MIN_MS = 1_000;

/** Returns the number of devices in a result, and of devices with a final outcome. */
export function countProgress({ responses }: SendResult): {
  readonly ended: number;
  readonly total: number;
} {
  return { ended: responses.filter((device) => !isQueued(device)).length, total: responses.length };
}

/** Returns whether a delivery is still pending. By contract, its message then begins with "Queued". */
export function isQueued({ success, message }: DeviceResult): boolean {
  return !success && message.startsWith("Queued");
}

/** Returns whether the audience is too large for results per device. */
export function isAudienceTooLarge(result: Result): boolean {
  return result.success && result.responses.length === 0 && !isOnlyCounted(result);
}

/** Returns whether an open incident only counted the send. By contract, such a send has no notification. */
export function isOnlyCounted({ success, incidentId, notificationId }: Result): boolean {
  return success && incidentId !== undefined && notificationId === null;
}

function hasQueued({ responses }: Result): boolean {
  return responses.some(isQueued);
}

/** Returns null after a timeout or a temporary error: the next request may succeed. */
async function repeatWithin(
  repeat: PollOptions["repeat"],
  remainingMs: number,
): Promise<Result | null> {
  const signal = AbortSignal.timeout(Math.ceil(remainingMs));
  try {
    return await repeat(signal);
  } catch (error) {
    if (signal.aborted || isTemporary(error)) return null;
    throw error;
  }
}

/** Returns whether the next request may succeed. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof TocsinConnectionError) return true;
  return error instanceof TocsinError && (error.status === 429 || error.status >= 500);
}

/**
 * Returns a clock that also advances while the machine sleeps. The monotonic clock may stop then, and the wall clock
 * may be set back, so the larger difference counts.
 */
export function startElapsedClock(): () => number {
  const start = { monotonicMs: performance.now(), wallMs: Date.now() };
  return () => Math.max(performance.now() - start.monotonicMs, Date.now() - start.wallMs);
}
