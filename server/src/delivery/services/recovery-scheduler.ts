import type { Context } from "#context.ts";
import type { DeliveryStore } from "../store/delivery-store.ts";
import { releasedBy } from "./slow-start.ts";

/** Interval of steps. */
const STEP_MS = 250;
/** Most devices released in one step. */
const RELEASED_MAX = 1_000;

export interface RecoverySchedulerDeps extends Pick<Context, "log" | "elapsed"> {
  readonly store: DeliveryStore;
  /** Called whenever jobs were made due; must not throw. */
  readonly onDue: () => void;
}

interface Recovery {
  readonly since: number;
  readonly usualPerSecond: number;
  released: number;
  /** A job may have begun to wait too late for the step that is under way. */
  isAskedAgain: boolean;
  timer: NodeJS.Timeout | null;
  step: Promise<void>;
}

/**
 * Releases the jobs that wait for a service that recovered, the oldest first, at a rate that grows: a service with a large
 * backlog is not flooded. New messages do not wait behind the backlog.
 */
export class RecoveryScheduler {
  readonly #options: RecoverySchedulerDeps;
  readonly #services = new Map<string, Recovery>();
  #isStopped = false;

  constructor(options: RecoverySchedulerDeps) {
    this.#options = options;
  }

  /** Begins to release the jobs that wait for a service; if that is under way, it goes on with those that wait by now. */
  begin(service: string, usualPerSecond: number): void {
    if (this.#isStopped) return;
    const known = this.#services.get(service);
    if (known !== undefined) {
      known.isAskedAgain = true;
      return;
    }
    const recovery: Recovery = {
      since: this.#options.elapsed(),
      usualPerSecond,
      released: 0,
      isAskedAgain: false,
      timer: null,
      step: Promise.resolve(),
    };
    this.#services.set(service, recovery);
    recovery.step = this.#release(service, recovery);
  }

  /** Releases no more jobs of a service: it is held again. */
  end(service: string): void {
    const timer = this.#services.get(service)?.timer ?? null;
    if (timer !== null) clearTimeout(timer);
    this.#services.delete(service);
  }

  /** Releases no more jobs; nothing is under way afterwards. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const steps = [...this.#services.values()].map(({ step }) => step);
    for (const service of this.#services.keys()) this.end(service);
    await Promise.all(steps);
  }

  async #release(service: string, recovery: Recovery): Promise<void> {
    recovery.isAskedAgain = false;
    const isAll = await this.#step(service, recovery);
    if (this.#services.get(service) !== recovery) return;
    if (isAll && !recovery.isAskedAgain) this.#services.delete(service);
    else {
      recovery.timer = setTimeout(() => {
        recovery.step = this.#release(service, recovery);
      }, STEP_MS).unref();
    }
  }

  /** Returns whether no job waits any more. Never rejects: the next step repeats a failed one. */
  async #step(service: string, recovery: Recovery): Promise<boolean> {
    const { store, elapsed, log, onDue } = this.#options;
    const may = releasedBy(elapsed() - recovery.since, recovery.usualPerSecond) - recovery.released;
    if (may < 1) return false;
    try {
      const max = Math.min(Math.floor(may), RELEASED_MAX);
      const { devices, isAll } = await store.releaseWaiting({ service, max });
      recovery.released += devices;
      if (devices > 0) onDue();
      return isAll;
    } catch (error) {
      log.warn({ err: error, service }, "jobs that wait for a service cannot be released yet");
      return false;
    }
  }
}
