import { setTimeout as sleep } from "node:timers/promises";
import { TocsinConnectionError, TocsinError } from "@tocsin/sdk";
import type { DeviceResult, SendResult, WithNotificationId } from "@tocsin/sdk";

type Result = WithNotificationId<SendResult>;

/** What became of a notification as far as it was followed. */
export interface Followed {
  readonly result: Result;
  /** True where no device's outcome can change any more. */
  readonly isComplete: boolean;
}

export interface FollowOptions {
  /**
   * Sends the same request under the same idempotency key: the server sends nothing again and answers with what is known by
   * now.
   */
  readonly repeat: (signal: AbortSignal) => Promise<Result>;
  readonly waitMs: number;
  /** Told what is known before each wait. */
  readonly onWait: (result: Result) => void;
}

/** After the first answer the next is asked for so soon, then after twice as long, … */
const PAUSE_FIRST_MS = 500;
const PAUSE_MAX_MS = 15_000;
/** Far below the 24 hours for which the server knows a repetition as one: later it would send anew. */
const REPEATABLE_MS = 20 * 60 * 60 * 1_000;

/** Asks again and again what became of a notification, until every device has its final outcome or the time is over. */
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

/** What is asked at the very end gets this long to answer. */
const LAST_ANSWER_MS = 1_000;

/** Returns how many devices a result tells of, and how many of them have their final outcome. */
export function progressOf({ responses }: SendResult): {
  readonly ended: number;
  readonly total: number;
} {
  return { ended: responses.filter((device) => !isQueued(device)).length, total: responses.length };
}

/** Returns whether the device is still being tried: its message begins so by contract. */
export function isQueued({ success, message }: DeviceResult): boolean {
  return !success && message.startsWith("Queued");
}

/** Returns whether the audience is so large that no answer tells of its devices. */
export function isTooMany({ success, responses }: SendResult): boolean {
  return success && responses.length === 0;
}

function isUnderWay({ responses }: Result): boolean {
  return responses.some(isQueued);
}

/** Returns null where there was no answer, or one that passes: what is asked for may be known next time. */
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

/** The one clock stands still while a machine sleeps, the other one may be set: what says more counts. */
function startClock(): () => number {
  const start = { monotonicMs: performance.now(), wallMs: Date.now() };
  return () => Math.max(performance.now() - start.monotonicMs, Date.now() - start.wallMs);
}
