import type { DeviceState } from "#devices/store/device-state.ts";
import { CHUNK_MAX } from "../delivery.ts";
import type { DeliveryResult, LeasedJob, PendingDevice, Wait } from "../delivery.ts";
import type { NextStep } from "../store/delivery-store.ts";
import type { HeldLease } from "./held-lease.ts";
import { LEASE_MS } from "../lease.ts";
import type { DeliveryListeners } from "../deps.ts";
import type { Breakers } from "../services/breakers.ts";
import { Owed } from "./owed.ts";
import { settleDurably, type SettleDeps } from "./settle.ts";
import type { Report } from "../result/watch.ts";

/** Most results that are not recorded yet, and whose requests a crash would repeat, … */
const CHECKPOINT_RESULTS = 100;
/** … and the longest time until one is recorded. */
const CHECKPOINT_MS = 250;

export interface ProgressDeps extends SettleDeps {
  readonly breakers: Breakers;
  readonly publish: DeliveryListeners["publish"];
}

export interface ProgressInput {
  readonly job: LeasedJob;
  readonly held: HeldLease;
  readonly pending: readonly PendingDevice[];
  readonly onReport: (report: Report) => void;
}

/** Results of a running job, and the devices still owed; recorded in steps, so that a crash repeats little. */
export class Progress {
  readonly #deps: ProgressDeps;
  readonly #input: ProgressInput;
  readonly #owed: Owed;
  readonly #startedAt: number;
  #unrecorded: DeliveryResult[] = [];
  /** True if anything was noted since the last step, even if only that a device waits. */
  #isAhead = false;
  #touches: DeviceState[] = [];
  #saving: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | null = null;

  constructor(deps: ProgressDeps, input: ProgressInput) {
    this.#deps = deps;
    this.#input = input;
    this.#startedAt = deps.now();
    this.#owed = new Owed(deps, input.pending);
  }

  /** Notes the report of one device, and records a checkpoint when it is time. */
  note(report: Report): void {
    if (report.kind === "final") {
      this.#owed.delete(report.result.deviceId);
      this.#unrecorded.push(report.result);
    } else {
      this.#owed.set(report.pending);
    }
    this.#isAhead = true;
    this.#input.onReport(report);
    this.#deps.publish(this.#input.job.notification, report);
    if (this.#unrecorded.length >= CHECKPOINT_RESULTS) this.#checkpoint();
    else this.#timer ??= setTimeout(() => this.#checkpoint(), CHECKPOINT_MS);
  }

  /** Returns the state of a device that is still owed the notification; null if it is not. */
  owedTo(deviceId: string): PendingDevice | null {
    return this.#owed.get(deviceId);
  }

  /** Notes the state of a device itself that an attempt showed. */
  touch(state: DeviceState): void {
    this.#touches.push(state);
  }

  /** Ends the run: records the rest, and returns when the job is due again; null if it is done. */
  async finish(): Promise<number | null> {
    this.#stopTimer();
    await this.#saving;
    if (this.#owed.size === 0) {
      await this.#save(() => ({ kind: "done" }));
      return null;
    }
    const waits = this.#owed
      .snapshot()()
      .flatMap(({ waitsFor }) => waitsFor ?? []);
    const waitsFor = [...new Set(waits.map(({ service }) => service))];
    const { at } = await this.#save((pending) => {
      const at = Math.min(...pending.map(({ runAt }) => runAt));
      return { kind: "retry", pending, at, waitsFor };
    });
    this.#wakeMissed(waits);
    return at;
  }

  /** Makes the job due again for services that were released before its wait for them was recorded. */
  #wakeMissed(waits: readonly Wait[]): void {
    const { breakers } = this.#deps;
    const released = waits.filter((wait) => breakers.isReleasedSince(wait));
    for (const service of new Set(released.map((wait) => wait.service)))
      breakers.wakeAgain(service);
  }

  #checkpoint(): void {
    this.#stopTimer();
    this.#saving = this.#saveAfter(this.#saving);
  }

  /** Never rejects: results that could not be recorded stay, and go with the next step. */
  async #saveAfter(earlier: Promise<void>): Promise<void> {
    await earlier;
    if (!this.#isAhead) return;
    try {
      const { until } = await this.#save((pending) => {
        return { kind: "checkpoint", pending, until: this.#deps.now() + LEASE_MS };
      });
      this.#input.held.prolong(until);
    } catch (error) {
      this.#isAhead = true;
      this.#deps.log.warn({ err: error }, "checkpoint failed");
    }
  }

  /** Returns the step that was recorded: planned anew for each try, as its moments are by the clock of that. */
  async #save<Next extends NextStep>(
    plan: (pending: readonly PendingDevice[]) => Next,
  ): Promise<Next> {
    // Everything noted so far belongs to this step, either as a result or as owed.
    this.#isAhead = false;
    const { job, held } = this.#input;
    const id = this.#deps.newId();
    const results = this.#unrecorded.slice(0, CHUNK_MAX);
    const touches = this.#touches;
    const owed = this.#owed.snapshot();
    const { id: notificationId } = job.notification;
    const news = { at: this.#deps.now(), readAt: this.#startedAt, states: touches };
    const planNow = () => {
      const next = plan(owed());
      return { id, lease: held.lease, notificationId, results, news, next };
    };
    const { ack, settlement } = await settleDurably(this.#deps, planNow, held.signal);
    if (ack === "fenced") held.lose();
    this.#unrecorded = this.#unrecorded.slice(results.length);
    this.#touches = this.#touches.slice(touches.length);
    return settlement.next;
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
