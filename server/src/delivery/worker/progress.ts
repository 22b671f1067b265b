import type { DeviceState } from "#devices/store/device-state.ts";
import {
  CHUNK_MAX,
  isKept,
  type DeliveryResult,
  type LeasedJob,
  type PendingDevice,
  type ServiceWait,
} from "../delivery.ts";
import type { DeliveryStore, NextStep } from "../store/delivery-store.ts";
import type { HeldLease } from "./held-lease.ts";
import { LEASE_MS } from "../lease.ts";
import type { ActLookup, DeliveryListeners, DeliveryServices } from "../deps.ts";
import type { Breakers } from "../services/breakers.ts";
import { findFetched } from "./fetched.ts";
import { isActedOn } from "./is-acted-on.ts";
import { PendingDevices } from "./pending-devices.ts";
import { settleDurably, type SettleDeps } from "./settle.ts";
import type { Report } from "../result/watch.ts";
import type { TryResult } from "../attempt/try-result.ts";

/** Number of unrecorded results that starts a checkpoint. A crash would repeat them. */
const CHECKPOINT_RESULTS_MAX = 100;
/** Delay of the checkpoint after a result, unless there are many. */
const CHECKPOINT_DELAY_MS = 250;

/** The dependencies for recording and publishing the results of a run. */
export interface ProgressDeps extends SettleDeps, ActLookup {
  readonly breakers: Breakers;
  readonly providers: DeliveryServices["providers"];
  /** Makes the jobs due that wait for these services, and ends their waits. */
  readonly endWaits: DeliveryStore["endWaits"];
  readonly publishReport: DeliveryListeners["publishReport"];
}

/** A job whose run begins. */
export interface ProgressInput {
  readonly job: LeasedJob;
  readonly heldLease: HeldLease;
  readonly pending: readonly PendingDevice[];
  readonly onReport: (report: Report) => void;
}

/**
 * The results and pending devices of a running job. Several settlements record them, so that a crash repeats little.
 */
export class Progress {
  readonly #deps: ProgressDeps;
  readonly #input: ProgressInput;
  readonly #pending: PendingDevices;
  readonly #startedAt: number;
  #unrecorded: DeliveryResult[] = [];
  /** True if a result or a wait was added since the last settlement. */
  #hasChanges = false;
  #deviceStates: DeviceState[] = [];
  #saving: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | null = null;

  constructor(deps: ProgressDeps, input: ProgressInput) {
    this.#deps = deps;
    this.#input = input;
    this.#startedAt = deps.now();
    this.#pending = new PendingDevices(deps, input.pending);
  }

  /** Adds the result of one try. A checkpoint records it soon. */
  addResult({ report, deviceState }: TryResult): void {
    if (deviceState !== null) this.#deviceStates.push(deviceState);
    if (report.kind === "final") {
      this.#pending.delete(report.result.deviceId);
      this.#unrecorded.push(report.result);
    } else {
      this.#pending.set(report.pending);
    }
    this.#hasChanges = true;
    this.#input.onReport(report);
    this.#deps.publishReport(this.#input.job.notification, report);
    if (this.#unrecorded.length >= CHECKPOINT_RESULTS_MAX) this.#startCheckpoint();
    else this.#timer ??= setTimeout(() => this.#startCheckpoint(), CHECKPOINT_DELAY_MS);
  }

  /** Returns the state of a pending device; null if the device is finished. */
  findPending(deviceId: string): PendingDevice | null {
    return this.#pending.get(deviceId);
  }

  /** Records everything that was added so far and clears the job's mark. Rejects if the database cannot be written. */
  async flush(): Promise<void> {
    this.#stopTimer();
    await this.#saving;
    await this.#saveCheckpoint();
  }

  /** Ends the run and records the rest. Returns the time at which the job is due again; null if it is finished. */
  async finish(): Promise<number | null> {
    this.#stopTimer();
    await this.#saving;
    if (this.#pending.size === 0) {
      await this.#save(() => ({ kind: "done" }));
      return null;
    }
    const listPending = this.#pending.snapshot();
    const waits = listPending().flatMap(({ waitsFor }) => waitsFor ?? []);
    const waitsFor = [...new Set(waits.map(({ service }) => service))];
    const { at, pending } = await this.#save((pending) => {
      const at = Math.min(...pending.map(({ runAt }) => runAt));
      return { kind: "retry", pending, at, waitsFor };
    });
    this.#releaseAgainIfMissed(waits);
    return (await this.#endPastWaits(pending)) ? this.#deps.now() : at;
  }

  /**
   * Ends the waits of devices that fetched the message before their wait was recorded, or of all if somebody acted before.
   * Returns whether it ended any.
   */
  async #endPastWaits(pending: readonly PendingDevice[]): Promise<boolean> {
    const { notification } = this.#input.job;
    const kept = pending.filter(isKept);
    const keptIds = kept.map(({ deviceId }) => deviceId);
    const fetched = await findFetched(this.#deps, notification.id, keptIds);
    const hasAct = await isActedOn(this.#deps, notification, kept);
    const services = kept.flatMap(({ deviceId, waitsFor }) =>
      waitsFor !== null && (hasAct || fetched.has(deviceId)) ? [waitsFor.service] : [],
    );
    if (services.length > 0) await this.#deps.endWaits(services);
    return services.length > 0;
  }

  /** Releases devices again if their service was released before their wait was recorded. */
  #releaseAgainIfMissed(waits: readonly ServiceWait[]): void {
    const { breakers } = this.#deps;
    const released = waits.filter((wait) => breakers.isReleasedSince(wait));
    for (const service of new Set(released.map((wait) => wait.service)))
      breakers.releaseAgain(service);
  }

  #startCheckpoint(): void {
    this.#stopTimer();
    this.#saving = this.#saveCheckpointAfter(this.#saving);
  }

  /** Never rejects. Results that could not be recorded go with the next settlement. */
  async #saveCheckpointAfter(earlier: Promise<void>): Promise<void> {
    await earlier;
    if (!this.#hasChanges) return;
    try {
      await this.#saveCheckpoint();
    } catch (error) {
      this.#hasChanges = true;
      this.#deps.log.warn({ err: error }, "checkpoint failed");
    }
  }

  async #saveCheckpoint(): Promise<void> {
    const { until } = await this.#save((pending) => {
      return { kind: "checkpoint", pending, until: this.#deps.now() + LEASE_MS };
    });
    this.#input.heldLease.extend(until);
  }

  /**
   * Settles, and returns the recorded transition of the job. Each write plans the transition again, with times of the
   * present clock.
   */
  async #save<Next extends NextStep>(
    plan: (pending: readonly PendingDevice[]) => Next,
  ): Promise<Next> {
    // Everything that was added until now belongs to this settlement, as a result or as pending, never as both.
    this.#hasChanges = false;
    const { job, heldLease } = this.#input;
    const id = this.#deps.newId();
    const results = this.#unrecorded.slice(0, CHUNK_MAX);
    const states = [...this.#deviceStates];
    const getPending = this.#pending.snapshot();
    const { id: notificationId } = job.notification;
    const deviceStateUpdate = { at: this.#deps.now(), readAt: this.#startedAt, states };
    const planNow = () => {
      const next = plan(getPending());
      return { id, lease: heldLease.lease, notificationId, results, deviceStateUpdate, next };
    };
    const { ack, settlement } = await settleDurably(this.#deps, planNow, heldLease.signal);
    if (ack === "fenced") heldLease.lose();
    this.#unrecorded = this.#unrecorded.slice(results.length);
    this.#deviceStates = this.#deviceStates.slice(states.length);
    return settlement.next;
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
