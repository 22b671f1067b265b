import type { LeasedJob, Mark } from "../delivery.ts";
import type { HeldLease } from "./held-lease.ts";
import { settleDurably, type SettleDeps } from "./settle.ts";

/** The marks of a quarantined job's run. Each step is marked in the job's row before it begins. */
export class Marks {
  readonly #deps: SettleDeps;
  readonly #job: LeasedJob;
  readonly #held: HeldLease;
  #deaths: number;

  constructor(
    deps: SettleDeps,
    { job, held }: { readonly job: LeasedJob; readonly held: HeldLease },
  ) {
    this.#deps = deps;
    this.#job = job;
    this.#held = held;
    this.#deaths = job.suspect === null ? 0 : job.suspect.deaths + 1;
  }

  /** Number of processes in a row that died at marked steps of the job, without a successful step in between. */
  get deaths(): number {
    return this.#deaths;
  }

  /** Durably marks the step that begins; resolves with false if the lease no longer allows it. */
  async set(deviceId: Mark["deviceId"]): Promise<boolean> {
    const isHeld = await this.#write({ deviceId, deaths: this.#deaths });
    return isHeld && this.#held.mayBegin();
  }

  /** Durably removes the mark. */
  async clear(): Promise<void> {
    await this.#write(null);
  }

  /** Resets the count of deaths, after a successful step or a step that explains them. */
  forgetDeaths(): void {
    this.#deaths = 0;
  }

  async #write(mark: Mark | null): Promise<boolean> {
    const id = this.#deps.newId();
    const { id: notificationId } = this.#job.notification;
    const plan = () => {
      const next = { kind: "mark", mark } as const;
      return { id, lease: this.#held.lease, notificationId, results: [], news: null, next };
    };
    const { ack } = await settleDurably(this.#deps, plan, this.#held.signal);
    if (ack === "fenced") this.#held.lose();
    return ack === "ok";
  }
}
