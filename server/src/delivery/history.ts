import type { Outcome } from "#providers/provider.ts";
import type { AttemptCode, DeliveryResult } from "./delivery.ts";

/**
 * The kind of one try: its outcome's kind, or `held` if no request was sent because the service is held, or if the
 * provider keeps the message.
 */
export type AttemptKind = Exclude<Outcome["kind"], "kept" | "skipped"> | "held";

/** One try to send a notification to one device. */
export interface Attempt {
  readonly kind: AttemptKind;
  /** Time of its end, in milliseconds since the epoch. */
  readonly at: number;
  readonly code: AttemptCode | "accepted";
  /** A summary of the push service's response: status, reason or receipt. Never a token or endpoint. */
  readonly detail: string | null;
  /** Planned time of the next try, in milliseconds since the epoch; null after the last. */
  readonly nextAt: number | null;
}

/** The tries for one device in order. A long history leaves out tries in the middle. */
export interface History {
  readonly attempts: readonly Attempt[];
  /**
   * Number of omitted attempts, without holds: after the first `FIRST_ATTEMPTS_MAX`, or before all of them if fewer are
   * listed.
   */
  readonly leftOut: number;
}

/** Maximum number of attempts in a history. */
export const HISTORY_ATTEMPTS_MAX = 12;
/** Number of first attempts that a history always keeps. The others that it keeps are the latest. */
export const FIRST_ATTEMPTS_MAX = 4;
/** Maximum number of characters in a detail, because the whole history is stored again with every attempt. */
const DETAIL_MAX = 160;

/**
 * Returns a history with one more attempt. If a device is held again for the same reason, the last entry is extended
 * instead.
 */
export function appendAttempt(previous: History | undefined, attempt: Attempt): History {
  const { attempts, leftOut } = previous ?? { attempts: [], leftOut: 0 };
  const last = attempts.at(-1);
  const isStillHeld =
    attempt.kind === "held" && last?.kind === "held" && last.code === attempt.code;
  if (isStillHeld) {
    const extended = { ...last, nextAt: attempt.nextAt };
    return { attempts: [...attempts.slice(0, -1), extended], leftOut };
  }
  const detail = attempt.detail === null ? null : attempt.detail.slice(0, DETAIL_MAX);
  const all = [...attempts, { ...attempt, detail }];
  if (all.length <= HISTORY_ATTEMPTS_MAX) return { attempts: all, leftOut };
  const isCounted = all[FIRST_ATTEMPTS_MAX]?.kind !== "held";
  return { attempts: all.toSpliced(FIRST_ATTEMPTS_MAX, 1), leftOut: leftOut + (isCounted ? 1 : 0) };
}

/** Returns the attempts of a result. Without a history, this is only the attempt that ended it. */
export function getResultHistory(result: DeliveryResult): History {
  if (result.history !== undefined) return result.history;
  const { state, code, detail, attempts, at } = result;
  const kind = state === "accepted" || state === "gone" || state === "rejected" ? state : null;
  if (kind === null) return { attempts: [], leftOut: attempts };
  // These states have codes of attempts. Results of versions without histories contain only the last attempt.
  const last = { kind, at, code: code as Attempt["code"], detail, nextAt: null };
  return { attempts: [last], leftOut: Math.max(0, attempts - 1) };
}
