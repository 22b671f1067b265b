import type { LeasedJob, StepMark } from "../delivery.ts";
import type { HeldLease } from "./held-lease.ts";
import { settleDurably, type SettleDeps } from "./settle.ts";

/** The marks of a quarantined job's run. Each step is marked in the job's row before it begins. */
export class StepMarks {
  readonly #deps: SettleDeps;
  readonly #job: LeasedJob;
  readonly #heldLease: HeldLease;
  #crashes: number;

  constructor(
    deps: SettleDeps,
    { job, heldLease }: { readonly job: LeasedJob; readonly heldLease: HeldLease },
  ) {
    this.#deps = deps;
    this.#job = job;
    this.#heldLease = heldLease;
    this.#crashes = job.suspect === null ? 0 : job.suspect.crashes + 1;
  }

  /** Number of processes in a row that died at marked steps of the job, without a successful step in between. */
  get crashes(): number {
    return this.#crashes;
  }

  /** Durably marks the step that begins; resolves with false if the lease no longer allows it. */
  async setMark(deviceId: StepMark["deviceId"]): Promise<boolean> {
    const isHeld = await this.#write({ deviceId, crashes: this.#crashes });
    return isHeld && this.#heldLease.mayBeginRequest();
  }

  /** Durably removes the mark. */
  async clearMark(): Promise<void> {
    await this.#write(null);
  }

  /** Resets the count of crashes, after a successful step or a step that explains them. */
  resetCrashes(): void {
    this.#crashes = 0;
  }

  async #write(mark: StepMark | null): Promise<boolean> {
    const id = this.#deps.newId();
    const { id: notificationId } = this.#job.notification;
    const plan = () => {
      const next = { kind: "mark", mark } as const;
      return {
        id,
        lease: this.#heldLease.lease,
        notificationId,
        results: [],
        deviceStateUpdate: null,
        next,
      };
    };
    const { ack } = await settleDurably(this.#deps, plan, this.#heldLease.signal);
    if (ack === "fenced") this.#heldLease.lose();
    return ack === "ok";
  }
}
