import type { Context } from "#context.ts";
import type { OwnDevice } from "#devices/store/devices.ts";
import type { Provider, ProviderName } from "#providers/provider.ts";
import type { Doubts } from "./accept/doubts.ts";
import type { LeasedJob, NewNotification } from "./delivery.ts";
import type { DeliveryStore, SettleAck, Settlement } from "./store/delivery-store.ts";
import type { Breakers } from "./services/breakers.ts";
import type { RecoveryScheduler } from "./services/recovery-scheduler.ts";
import type { SoloPlaces } from "./solo/solo-places.ts";
import type { LaneLimits } from "./limits/lane-limits.ts";
import type { OutcomeCounters } from "./result/outcome-counters.ts";
import type { BulkPacer } from "./limits/bulk-pacer.ts";
import type { KeyedQueue } from "./limits/keyed-queue.ts";
import type { Report } from "./result/watch.ts";

/** What delivering needs of the processes that share the database. */
export interface Peers {
  /** False where this one leaves all sending to others. */
  readonly sends: boolean;
  /** False while others may still hold what looks left behind: the database was away, and not all had time to return. */
  readonly mayClaim: () => boolean;
  /** Tells the others that jobs are due for anybody; must not throw. */
  readonly publishDue: () => void;
}

/** What delivering needs beyond the context. */
export interface DeliveryDeps extends Context {
  readonly store: DeliveryStore;
  /** Records one settlement, sharing its commit with others; resolves once it is durable. */
  readonly settle: (settlement: Settlement) => Promise<SettleAck>;
  readonly providers: ReadonlyMap<ProviderName, Provider>;
  /** Bounds the attempts under way in this process, for each provider by itself: none takes another's places. */
  readonly attemptLimits: Readonly<Record<ProviderName, LaneLimits>>;
  /** Holds back messages to very many. */
  readonly bulkPacer: BulkPacer;
  /** One attempt at a time for each device: push services limit the rate by device. */
  readonly deviceQueue: KeyedQueue;
  /** Makes attempts that may end their process in another one. */
  readonly solo: SoloPlaces;
  /**
   * Says whether a notification is over, now or `at` that moment, only by a clock that is doubted: it then neither goes out nor
   * ends.
   */
  readonly isInDoubt: (notification: NewNotification, at?: number) => boolean;
  /** Says which services are given messages. */
  readonly breakers: Breakers;
  /** Wakes what waits for services that are back. */
  readonly recoveryScheduler: RecoveryScheduler;
  readonly counters: OutcomeCounters;
  /** Finds out what was stored whose commit nobody answered. */
  readonly doubts: Doubts;
  /**
   * Stores and publishes what the process that accepted a job may have left out; called before the first attempt of a job that
   * was taken over. Idempotent.
   */
  readonly fileLate: (job: LeasedJob) => Promise<void>;
  /** Told of every report, for live streams and metrics; must not throw. */
  readonly publish: (notification: NewNotification, report: Report) => void;
  /** Told after a push service's word that a device is gone retired it; must not throw. */
  readonly onDeviceChanged: (device: OwnDevice) => void;
  /** Null where this process has the database for itself. */
  readonly peers: Peers | null;
  /** From 0 up to 1. */
  readonly random: () => number;
}
