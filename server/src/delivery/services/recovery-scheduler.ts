import type { Context } from "#context.ts";
import type { DeliveryStore } from "../store/delivery-store.ts";
import { computeReleaseLimit } from "./slow-start.ts";

/** The interval between two steps. */
const STEP_INTERVAL_MS = 250;
/** Number of devices after which a step stops. A job is released whole, so a step may exceed it. */
const RELEASED_PER_STEP_MAX = 1_000;

/** The dependencies of the recovery scheduler. */
export interface RecoverySchedulerDeps extends Pick<Context, "log" | "elapsed"> {
  readonly store: DeliveryStore;
  /** Called after jobs became due; must not throw. */
  readonly onDue: () => void;
}

interface Recovery {
  readonly startedAt: number;
  readonly usualPerSecond: number;
  released: number;
  /** True if jobs may have begun to wait too late for the running step. */
  isRepeatRequested: boolean;
  timer: NodeJS.Timeout | null;
  step: Promise<void>;
}

/**
 * Releases the jobs that wait for a recovered service, the oldest first. The rate grows slowly, so that a large backlog
 * does not flood the service. New messages do not wait for the backlog.
 */
export class RecoveryScheduler {
  readonly #deps: RecoverySchedulerDeps;
  readonly #recoveries = new Map<string, Recovery>();
  #isStopped = false;

  constructor(deps: RecoverySchedulerDeps) {
    this.#deps = deps;
  }

  /** Begins to release the jobs that wait for a service. A running release continues and includes new waiting jobs. */
  begin(service: string, usualPerSecond: number): void {
    if (this.#isStopped) return;
    const runningRecovery = this.#recoveries.get(service);
    if (runningRecovery !== undefined) {
      runningRecovery.isRepeatRequested = true;
      return;
    }
    const recovery: Recovery = {
      startedAt: this.#deps.elapsed(),
      usualPerSecond,
      released: 0,
      isRepeatRequested: false,
      timer: null,
      step: Promise.resolve(),
    };
    this.#recoveries.set(service, recovery);
    recovery.step = this.#release(service, recovery);
  }

  /** Stops releasing jobs of a service that is held again. */
  end(service: string): void {
    const timer = this.#recoveries.get(service)?.timer ?? null;
    if (timer !== null) clearTimeout(timer);
    this.#recoveries.delete(service);
  }

  /** Stops all releases, and waits for the running steps. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const steps = [...this.#recoveries.values()].map(({ step }) => step);
    for (const service of this.#recoveries.keys()) this.end(service);
    await Promise.all(steps);
  }

  async #release(service: string, recovery: Recovery): Promise<void> {
    recovery.isRepeatRequested = false;
    const isComplete = await this.#step(service, recovery);
    if (this.#recoveries.get(service) !== recovery) return;
    if (isComplete && !recovery.isRepeatRequested) this.#recoveries.delete(service);
    else {
      recovery.timer = setTimeout(() => {
        recovery.step = this.#release(service, recovery);
      }, STEP_INTERVAL_MS).unref();
    }
  }

  /** Returns whether no more jobs wait. Never rejects: the next step repeats a failed one. */
  async #step(service: string, recovery: Recovery): Promise<boolean> {
    const { store, elapsed, log, onDue } = this.#deps;
    const allowed =
      computeReleaseLimit(elapsed() - recovery.startedAt, recovery.usualPerSecond) -
      recovery.released;
    if (allowed < 1) return false;
    try {
      const max = Math.min(Math.floor(allowed), RELEASED_PER_STEP_MAX);
      const { deviceCount, isComplete } = await store.releaseWaiting({
        service,
        max,
      });
      recovery.released += deviceCount;
      if (deviceCount > 0) onDue();
      return isComplete;
    } catch (error) {
      log.warn({ err: error, service }, "jobs that wait for a service cannot be released yet");
      return false;
    }
  }
}
