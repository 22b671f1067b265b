import { setTimeout as sleep } from "node:timers/promises";
import { TocsinConnectionError, TocsinError } from "@tocsin/sdk";
import type { DeviceResult, SendResult, WithNotificationId } from "@tocsin/sdk";

type Result = WithNotificationId<SendResult>;

/** The result of a notification, as far as it was followed. */
export interface Followed {
  readonly result: Result;
  /** True if no device's outcome can change any more. */
  readonly isComplete: boolean;
}

export interface FollowOptions {
  /**
   * Sends the same request under the same idempotency key: the server does not send again, and answers with the current
   * result.
   */
  readonly repeat: (signal: AbortSignal) => Promise<Result>;
  readonly waitMs: number;
  /** Called with the current result before each wait. */
  readonly onWait: (result: Result) => void;
}

/** Delay after the first answer; doubles with each further one. */
const PAUSE_FIRST_MS = 500;
const PAUSE_MAX_MS = 15_000;
/** Far below the 24 hours for which the server recognizes a repetition: later it would send again. */
const REPEATABLE_MS = 20 * 60 * 60 * 1_000;

/** Polls the result of a notification until every device has its final outcome or the time is over. */
export async function follow(
  first: Result,
  { repeat, waitMs, onWait }: FollowOptions,
): Promise<Followed> {
  const elapsedMs = startClock();
  let result = first;
  for (let pauseMs = PAUSE_FIRST_MS; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MAX_MS)) {
    if (!isUnderWay(result)) return { result, isComplete: !isTooMany(result) };
    const leftMs = waitMs - elapsedMs();
    if (leftMs <= 0) return { result, isComplete: false };
    onWait(result);
    await sleep(Math.min(pauseMs, leftMs));
    if (elapsedMs() > REPEATABLE_MS) return { result, isComplete: false };
    result = (await ask(repeat, Math.max(waitMs - elapsedMs(), LAST_ANSWER_MS))) ?? result;
  }
}

/** The least timeout of the last request. */
const LAST_ANSWER_MS = 1_000;

/** Returns how many devices a result contains, and how many of them have their final outcome. */
export function progressOf({ responses }: SendResult): {
  readonly ended: number;
  readonly total: number;
} {
  return { ended: responses.filter((device) => !isQueued(device)).length, total: responses.length };
}

/** Returns whether the device is still being tried: by contract, its message then begins like this. */
export function isQueued({ success, message }: DeviceResult): boolean {
  return !success && message.startsWith("Queued");
}

/** Returns whether the audience is too large for results per device. */
export function isTooMany({ success, responses }: SendResult): boolean {
  return success && responses.length === 0;
}

function isUnderWay({ responses }: Result): boolean {
  return responses.some(isQueued);
}

/** Returns null for a missing answer or a temporary error: the next request may succeed. */
async function ask(repeat: FollowOptions["repeat"], leftMs: number): Promise<Result | null> {
  const signal = AbortSignal.timeout(Math.ceil(leftMs));
  try {
    return await repeat(signal);
  } catch (error) {
    if (signal.aborted || isPassing(error)) return null;
    throw error;
  }
}

function isPassing(error: unknown): boolean {
  if (error instanceof TocsinConnectionError) return true;
  return error instanceof TocsinError && (error.status === 429 || error.status >= 500);
}

/** The monotonic clock stops while a machine sleeps, and the wall clock may be set: the larger difference counts. */
function startClock(): () => number {
  const start = { monotonicMs: performance.now(), wallMs: Date.now() };
  return () => Math.max(performance.now() - start.monotonicMs, Date.now() - start.wallMs);
}
