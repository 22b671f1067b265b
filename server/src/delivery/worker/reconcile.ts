import type { DeliveryDeps } from "../deps.ts";
import type { Rollback } from "../clock-rollback.ts";

/** So many waiting jobs are made due in one statement. */
const LOOK_MAX = 1_000;
/** What was being stored when the clock was set back has its moment by the old time, and shows later: it is stored by then. */
const SECOND_LOOK_MS = 10_000;

/**
 * Looks at all that waits, once the clock was set back: what was leased or put off before would last until the old time
 * comes again. What is broken off here is begun again with the next call.
 */
export class Reconciliation {
  readonly #deps: Pick<DeliveryDeps, "store" | "clock" | "now" | "log">;
  #noticed: Rollback | null = null;
  /** When it is still to be looked, in milliseconds since the epoch. */
  #moments: readonly number[] = [];

  constructor(deps: Pick<DeliveryDeps, "store" | "clock" | "now" | "log">) {
    this.#deps = deps;
  }

  /** Looks at the clock; returns whether it was set back, and nobody has looked at what waits since. */
  isRolledBack(): boolean {
    const { clock, now } = this.#deps;
    clock.note(now());
    return clock.latest !== this.#noticed;
  }

  /** Makes due what waits by a time that no longer counts; returns when to call again, or null where nothing is left to do. */
  async ifRolledBack(isStopping: () => boolean): Promise<number | null> {
    const at = this.#deps.now();
    if (this.isRolledBack()) this.#moments = [at, at + SECOND_LOOK_MS];
    this.#noticed = this.#deps.clock.latest;
    const [moment] = this.#moments;
    if (moment !== undefined && moment <= at) {
      await this.#look(isStopping);
      this.#moments = this.#moments.slice(1);
    }
    return this.#moments[0] ?? null;
  }

  async #look(isStopping: () => boolean): Promise<void> {
    const { store, log } = this.#deps;
    const leased = await store.takeBackAhead();
    let after = "";
    let waiting = 0;
    for (let count = LOOK_MAX; count === LOOK_MAX && !isStopping();) {
      const page = await store.lookAgain({ after, max: LOOK_MAX });
      after = page.lastId;
      count = page.count;
      waiting += count;
    }
    log.warn({ leased, waiting }, "the clock was set back");
  }
}
