import type { Outcome } from "#providers/provider.ts";
import type { AttemptCode, DeliveryResult } from "./delivery.ts";

/**
 * The kind of an attempt: the kind of its outcome, or `held` if a hold took its place, or if the provider keeps the
 * message.
 */
export type AttemptKind = Exclude<Outcome["kind"], "kept" | "skipped"> | "held";

/** One attempt to send a notification to one device, or a hold in place of an attempt. */
export interface Attempt {
  readonly kind: AttemptKind;
  /** The end of the attempt or the start of the hold, in milliseconds since the epoch. */
  readonly at: number;
  readonly code: AttemptCode | "accepted";
  /** A summary of the push service's response: status, reason or receipt. Never a token or endpoint. */
  readonly detail: string | null;
  /** Planned time of the next attempt, in milliseconds since the epoch; null after the last. */
  readonly nextAt: number | null;
}

/** The attempts at one device and its holds, in order. A long history leaves out some in the middle. */
export interface History {
  readonly attempts: readonly Attempt[];
  /**
   * Number of omitted attempts; omitted holds do not count. The omitted attempts came after the first
   * `FIRST_ATTEMPTS_MAX`, or before all listed ones if fewer are listed.
   */
  readonly leftOut: number;
}

/** Maximum number of attempts and holds in a history. */
export const HISTORY_ATTEMPTS_MAX = 12;
/** Number of first attempts and holds that a history always keeps. The others that it keeps are the latest. */
export const FIRST_ATTEMPTS_MAX = 4;
/** Maximum number of characters in a detail. It is small, because each attempt stores the whole history again. */
const DETAIL_MAX = 160;

/**
 * Returns a history with one more attempt or hold. If a device is held again for the same reason, the last hold is
 * extended instead.
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

/** Returns the history of a result. If none is stored, lists at most one attempt: the one that ended the delivery. */
export function getResultHistory(result: DeliveryResult): History {
  if (result.history !== undefined) return result.history;
  const { state, code, detail, attempts, at } = result;
  const kind = state === "accepted" || state === "gone" || state === "rejected" ? state : null;
  if (kind === null) return { attempts: [], leftOut: attempts };
  // These states have codes of attempts. Results of versions without histories contain only the last attempt.
  const last = { kind, at, code: code as Attempt["code"], detail, nextAt: null };
  return { attempts: [last], leftOut: Math.max(0, attempts - 1) };
}
