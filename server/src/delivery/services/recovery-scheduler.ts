import type { DeliveryDeps } from "../deps.ts";
import { letOutBy } from "./slow-start.ts";

/** More are let out this often. */
const STEP_MS = 250;
/** So many are woken in one step at most, whatever may go. */
const WOKEN_MAX = 1_000;

export interface RecoverySchedulerDeps extends Pick<DeliveryDeps, "store" | "log"> {
  /** Counts milliseconds from any moment on, and never jumps. */
  readonly elapsed: () => number;
  /** Told whenever jobs were made due; must not throw. */
  readonly onDue: () => void;
}

interface Recovery {
  readonly since: number;
  readonly usualPerSecond: number;
  letOut: number;
  /** Somebody waits who came too late for the step that is under way. */
  isAskedAgain: boolean;
  timer: NodeJS.Timeout | null;
  step: Promise<void>;
}

/**
 * Wakes what waits for services that are back, the oldest first, at a rate that grows: who was down with much waiting for
 * it is not flooded. New messages do not wait behind them.
 */
export class RecoveryScheduler {
  readonly #options: RecoverySchedulerDeps;
  readonly #services = new Map<string, Recovery>();
  #isStopped = false;

  constructor(options: RecoverySchedulerDeps) {
    this.#options = options;
  }

  /** Begins to wake what waits for a service; where that is under way, it goes on with who waits by now. */
  begin(service: string, usualPerSecond: number): void {
    if (this.#isStopped) return;
    const known = this.#services.get(service);
    if (known !== undefined) {
      known.isAskedAgain = true;
      return;
    }
    const comeback: Recovery = {
      since: this.#options.elapsed(),
      usualPerSecond,
      letOut: 0,
      isAskedAgain: false,
      timer: null,
      step: Promise.resolve(),
    };
    this.#services.set(service, comeback);
    comeback.step = this.#wake(service, comeback);
  }

  /** Wakes nobody any more for a service: it is held again. */
  end(service: string): void {
    const timer = this.#services.get(service)?.timer ?? null;
    if (timer !== null) clearTimeout(timer);
    this.#services.delete(service);
  }

  /** Wakes nobody any more; nothing is under way afterwards. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const steps = [...this.#services.values()].map(({ step }) => step);
    for (const service of this.#services.keys()) this.end(service);
    await Promise.all(steps);
  }

  async #wake(service: string, comeback: Recovery): Promise<void> {
    comeback.isAskedAgain = false;
    const isAll = await this.#step(service, comeback);
    if (this.#services.get(service) !== comeback) return;
    if (isAll && !comeback.isAskedAgain) this.#services.delete(service);
    else {
      comeback.timer = setTimeout(() => {
        comeback.step = this.#wake(service, comeback);
      }, STEP_MS).unref();
    }
  }

  /** Returns whether nobody waits any more. Never rejects: what fails is done again with the next step. */
  async #step(service: string, comeback: Recovery): Promise<boolean> {
    const { store, elapsed, log, onDue } = this.#options;
    const may = letOutBy(elapsed() - comeback.since, comeback.usualPerSecond) - comeback.letOut;
    if (may < 1) return false;
    try {
      const max = Math.min(Math.floor(may), WOKEN_MAX);
      const { devices, isAll } = await store.wake({ service, max });
      comeback.letOut += devices;
      if (devices > 0) onDue();
      return isAll;
    } catch (error) {
      log.warn({ err: error, service }, "what waits for a service cannot be woken yet");
      return false;
    }
  }
}
