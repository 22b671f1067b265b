import type { Context } from "#context.ts";
import type { OwnedDevice } from "#devices/store/devices.ts";
import type { Provider, ProviderName, PushProviderName } from "#providers/provider.ts";
import type { DoubtResolver } from "./accept/doubt-resolver.ts";
import type { LeasedJob, NewNotification, ActCode } from "./delivery.ts";
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

/** How this process shares the queue with the other processes on the database. */
export interface QueueSharing {
  /** False if this process leaves all sending to the others. */
  readonly shouldSend: boolean;
  /** False after a database outage, until other processes have had time to renew leases that look abandoned. */
  readonly mayClaim: () => boolean;
  /** Notifies the other processes that jobs are due for any process; must not throw. */
  readonly publishJobsDue: () => void;
}

/** Concurrency limits of this process. */
export interface DeliveryLimits {
  /** The limits of concurrent attempts, separate for each provider, so that one provider cannot block another. */
  readonly attemptLimits: Readonly<Record<PushProviderName, LaneLimits>>;
  /** Paces bulk attempts. */
  readonly bulkPacer: BulkPacer;
  /** Runs one attempt at a time for each device, because push services limit the rate of each device. */
  readonly deviceQueue: KeyedQueue;
}

/** The providers, and the breakers of their services. */
export interface DeliveryServices {
  readonly providers: ReadonlyMap<ProviderName, Provider>;
  readonly breakers: Breakers;
}

/** The check whether an expiry is in doubt, because the wall clock may be wrong. */
export interface ExpiryDoubtCheck {
  /**
   * Returns whether a notification looks expired at the time `at`, by default now, only by a wall clock that is in
   * doubt. Such a notification is neither sent nor ended.
   */
  readonly isExpiryInDoubt: (notification: NewNotification, at?: number) => boolean;
}

/** How far the wall clock can be trusted: the check of expiries, and the last reading in the previous process. */
export interface ClockTrust extends ExpiryDoubtCheck {
  /** The wall clock's last reading in the previous process, in milliseconds since the epoch; null if unknown. */
  readonly previousReadingAt: number | null;
}

/** Callbacks of other modules, called during deliveries. */
export interface DeliveryListeners {
  /** Called with every report, for live streams and metrics; must not throw. */
  readonly publishReport: (notification: NewNotification, report: Report) => void;
  /** Called after a device was retired because its push service reported it as gone; must not throw. */
  readonly onDeviceRetired: (device: OwnedDevice) => void;
  /**
   * Adds the notification of a claimed job to the feed, before the first attempt. The process that accepted the
   * notification may have died before it added the notification. Safe to repeat.
   */
  readonly backfillFeed: (job: LeasedJob) => Promise<void>;
}

/** The check, right before each attempt, whether somebody has acted on a notification that asks for an act. */
export interface ActLookup {
  /** Returns the act that makes the notification unnecessary; null if nobody has acted. */
  readonly findAct: (notification: NewNotification) => Promise<ActCode | null>;
}

/** Dependencies of an attempt at one device. */
export interface AttemptDeps
  extends Context, DeliveryLimits, DeliveryServices, ExpiryDoubtCheck, ActLookup {
  readonly onDeviceRetired: DeliveryListeners["onDeviceRetired"];
  /** From 0 up to 1. */
  readonly random: () => number;
}

/** Dependencies of the run of a job: attempts, and recording their results. */
export interface RunDeps extends AttemptDeps, ProgressDeps {}

/** Dependencies of the run of a quarantined job. */
export interface QuarantinedRunDeps extends RunDeps {
  readonly store: Pick<DeliveryStore, "releaseLeases">;
  /** Runs one step at a time across all quarantined jobs. */
  readonly quarantine: Quarantine;
}

/** Dependencies of the worker: runs, and claiming due jobs. */
export interface WorkerDeps extends QuarantinedRunDeps, DeliveryListeners {
  readonly store: DeliveryStore;
  /** Null if this process has the database for itself. */
  readonly sharing: QueueSharing | null;
  /** Makes jobs due that wait for recovered services. */
  readonly recoveryScheduler: RecoveryScheduler;
  readonly counters: OutcomeCounters;
  /** Finds out whether batches were stored if the response to their commit was lost. */
  readonly doubtResolver: DoubtResolver;
}
