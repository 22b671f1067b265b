import type { PendingDevice } from "./delivery.ts";

/** A clock is set back where it shows less than before by more than it is ever corrected by the way. */
const ROLLBACK_MIN_MS = 1_000;
/** Who was never tried waits for a device's turn at most. */
const UNTRIED_WAIT_MAX_MS = 5_000;

/** What is known of the last time that the clock was set back. */
export interface Rollback {
  /** What it showed afterwards, in milliseconds since the epoch. */
  readonly at: number;
  readonly byMs: number;
}

/** Notices that the clock was set back. */
export class ClockRollback {
  #lastAt: number;
  #latest: Rollback | null = null;

  /** `shownBefore` is what the clock showed in the process before, in milliseconds since the epoch; null where nobody knows. */
  constructor(shownBefore: number | null = null) {
    this.#lastAt = shownBefore ?? Number.NEGATIVE_INFINITY;
  }

  /** The last time; null where none was noticed. */
  get latest(): Rollback | null {
    return this.#latest;
  }

  /** Notes what the clock shows, wherever it is gone by; returns whether it was set back since. */
  note(at: number): boolean {
    const isRolledBack = this.#isRolledBackAt(at);
    if (isRolledBack) this.#latest = { at, byMs: this.#lastAt - at };
    this.#lastAt = at;
    return isRolledBack;
  }

  #isRolledBackAt(at: number): boolean {
    return at < this.#lastAt - ROLLBACK_MIN_MS;
  }
}

/**
 * Returns devices with the moments they wait for by the clock as it goes now. Who was tried in a time that has not come
 * yet is due; whose wait began before waits no longer than it was to. Doing it twice changes nothing.
 */
export function byPresentClock(
  pending: readonly PendingDevice[],
  clock: { readonly now: number; readonly rollback: Rollback | null },
): readonly PendingDevice[] {
  return pending.map((device) => {
    const runAt = momentOf(device, clock);
    return runAt === device.runAt ? device : { ...device, runAt };
  });
}

function momentOf(
  { runAt, history }: PendingDevice,
  { now, rollback }: { readonly now: number; readonly rollback: Rollback | null },
): number {
  if (runAt <= now) return runAt;
  const last = history?.attempts.at(-1);
  if (last === undefined) return runAt > now + UNTRIED_WAIT_MAX_MS ? now : runAt;
  if (last.at > now + ROLLBACK_MIN_MS) return now;
  if (rollback === null || last.at >= rollback.at || last.nextAt === null) return runAt;
  // Told by the moment that was named with the attempt: another node, or another look, finds the same.
  return Math.min(runAt, last.nextAt - rollback.byMs);
}
