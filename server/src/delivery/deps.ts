import type { Context } from "#context.ts";
import type { OwnDevice } from "#devices/store/devices.ts";
import type { Provider, ProviderName } from "#providers/provider.ts";
import type { Doubts } from "./accept/doubts.ts";
import type { LeasedJob, NewNotification } from "./delivery.ts";
import type { BulkPacer } from "./limits/bulk-pacer.ts";
import type { KeyedQueue } from "./limits/keyed-queue.ts";
import type { LaneLimits } from "./limits/lane-limits.ts";
import type { Quarantine } from "./limits/quarantine.ts";
import type { OutcomeCounters } from "./result/outcome-counters.ts";
import type { Report } from "./result/watch.ts";
import type { Breakers } from "./services/breakers.ts";
import type { RecoveryScheduler } from "./services/recovery-scheduler.ts";
import type { DeliveryStore } from "./store/delivery-store.ts";
import type { ProgressDeps } from "./worker/progress.ts";

/** The processes that share the database, as delivery needs them. */
export interface Peers {
  /** False where this process leaves all sending to others. */
  readonly sends: boolean;
  /** False while others may still hold leases that look abandoned: the database was away, and not all had time to return. */
  readonly mayClaim: () => boolean;
  /** Announces to the others that jobs are due for any process; must not throw. */
  readonly publishDue: () => void;
}

/** Limits of how much is under way at once in this process. */
export interface DeliveryLimits {
  /** Limits of attempts, one for each provider, so that none takes another's share. */
  readonly attemptLimits: Readonly<Record<ProviderName, LaneLimits>>;
  /** Paces bulk attempts. */
  readonly bulkPacer: BulkPacer;
  /** Runs one attempt at a time for each device: push services limit the rate by device. */
  readonly deviceQueue: KeyedQueue;
}

/** The push services, and which of them are given messages. */
export interface DeliveryServices {
  readonly providers: ReadonlyMap<ProviderName, Provider>;
  readonly breakers: Breakers;
}

/** A clock that may be wrong. */
export interface DoubtedClock {
  /**
   * Returns whether a notification is over, now or `at` that moment, only by a clock that is doubted: it then neither goes out
   * nor ends.
   */
  readonly isInDoubt: (notification: NewNotification, at?: number) => boolean;
}

/** The time that has certainly passed. */
export interface CertainTime extends DoubtedClock {
  /** The time that the clock showed at the end of the process before, in milliseconds since the epoch; null if unknown. */
  readonly shownBefore: number | null;
}

/** Functions of the rooms below, called as deliveries go on. */
export interface DeliveryListeners {
  /** Called with every report, for live streams and metrics; must not throw. */
  readonly publish: (notification: NewNotification, report: Report) => void;
  /** Called after a device was retired because its push service says that it is gone; must not throw. */
  readonly onDeviceChanged: (device: OwnDevice) => void;
  /**
   * Stores and publishes what the process that accepted a job may have left out; called before the first attempt of a job that
   * was taken over. Idempotent.
   */
  readonly fileLate: (job: LeasedJob) => Promise<void>;
}

/** Dependencies of an attempt at one device. */
export interface AttemptDeps extends Context, DeliveryLimits, DeliveryServices, DoubtedClock {
  readonly onDeviceChanged: DeliveryListeners["onDeviceChanged"];
  /** From 0 up to 1. */
  readonly random: () => number;
}

/** Dependencies of the run of a job: those of its attempts, and of recording their results. */
export interface RunDeps extends AttemptDeps, ProgressDeps {}

/** Dependencies of the run of a quarantined job. */
export interface QuarantinedRunDeps extends RunDeps {
  readonly store: Pick<DeliveryStore, "release">;
  /** Runs one step at a time for all jobs that several processes died with. */
  readonly quarantine: Quarantine;
}

/** Dependencies of the worker: those of all runs, and of claiming due jobs. */
export interface WorkerDeps extends QuarantinedRunDeps, DeliveryListeners {
  readonly store: DeliveryStore;
  /** Null where this process has the database for itself. */
  readonly peers: Peers | null;
  /** Makes due what waits for services that are back. */
  readonly recoveryScheduler: RecoveryScheduler;
  readonly counters: OutcomeCounters;
  /** Finds out what was stored whose commit nobody answered. */
  readonly doubts: Doubts;
}
