import type { Outcome } from "#providers/provider.ts";
import type { AttemptCode, DeliveryResult } from "./delivery.ts";

/** The kind of one try: that of its outcome, or `held` where no attempt was made because the service is held. */
export type AttemptKind = Outcome["kind"] | "held";

/** One try to hand a notification over for one device. */
export interface Attempt {
  readonly kind: AttemptKind;
  /** When its end was known, in milliseconds since the epoch. */
  readonly at: number;
  readonly code: AttemptCode | "accepted";
  /** The push service's answer in our words: status, reason, receipt; never an address. */
  readonly detail: string | null;
  /** When the next one was to follow, in milliseconds since the epoch; null after the last. */
  readonly nextAt: number | null;
}

/** All tries for one device in their order; of many, those between the first and the last are left out. */
export interface History {
  readonly attempts: readonly Attempt[];
  /** How many were left out, after the first `FIRST_MAX`, or before all where there are fewer. */
  readonly leftOut: number;
}

/** A history names at most this many attempts, … */
export const ATTEMPTS_KEPT_MAX = 12;
/** … of which this many are the first ones. */
export const FIRST_MAX = 4;
/** Details are short by themselves; a longer one would be written again with every attempt. */
const DETAIL_MAX = 160;

/** Returns a history with one more attempt. A device that is held again for the same reason goes on waiting: that is no new entry. */
export function withAttempt(before: History | undefined, attempt: Attempt): History {
  const { attempts, leftOut } = before ?? { attempts: [], leftOut: 0 };
  const last = attempts.at(-1);
  const waitsOn = attempt.kind === "held" && last?.kind === "held" && last.code === attempt.code;
  if (waitsOn) {
    const prolonged = { ...last, nextAt: attempt.nextAt };
    return { attempts: [...attempts.slice(0, -1), prolonged], leftOut };
  }
  const detail = attempt.detail === null ? null : attempt.detail.slice(0, DETAIL_MAX);
  const all = [...attempts, { ...attempt, detail }];
  if (all.length <= ATTEMPTS_KEPT_MAX) return { attempts: all, leftOut };
  const wasMade = all[FIRST_MAX]?.kind !== "held";
  return { attempts: all.toSpliced(FIRST_MAX, 1), leftOut: leftOut + (wasMade ? 1 : 0) };
}

/** Returns what an outcome says for people and programs; an acceptance names its receipt. */
export function saidBy(outcome: Outcome): Pick<Attempt, "code" | "detail"> {
  if (outcome.kind === "accepted") return { code: "accepted", detail: outcome.receipt };
  return outcome.reason;
}

/** Returns the attempts of a result: where it has no history, the one that ended it. */
export function historyOfResult(result: DeliveryResult): History {
  if (result.history !== undefined) return result.history;
  const { state, code, detail, attempts, at } = result;
  const kind = state === "accepted" || state === "gone" || state === "rejected" ? state : null;
  if (kind === null) return { attempts: [], leftOut: attempts };
  // These states have the codes of attempts. Results of versions without histories have only the last attempt.
  const last = { kind, at, code: code as Attempt["code"], detail, nextAt: null };
  return { attempts: [last], leftOut: Math.max(0, attempts - 1) };
}

/** The stored form: the count of attempts left out, then `[kind, at, code, detail, nextAt]` for each. */
export type HistoryTuple = readonly [leftOut: number, ...attempts: AttemptTuple[]];
type AttemptTuple = readonly [AttemptKind, number, Attempt["code"], string | null, number | null];

/** Encodes a history. */
export function historyTuple({ leftOut, attempts }: History): HistoryTuple {
  const tuples = attempts.map(({ kind, at, code, detail, nextAt }): AttemptTuple => [
    kind,
    at,
    code,
    detail,
    nextAt,
  ]);
  return [leftOut, ...tuples];
}

/** Decodes what `historyTuple` made. */
export function historyOf([leftOut, ...tuples]: HistoryTuple): History {
  const attempts = tuples.map(([kind, at, code, detail, nextAt]) => {
    return { kind, at, code, detail, nextAt };
  });
  return { attempts, leftOut };
}
