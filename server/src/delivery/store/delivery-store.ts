import type { NewRow } from "#database/insert-rows.ts";
import type { DeviceStateUpdate } from "#devices/store/device-state.ts";
import type { Target } from "#devices/device.ts";
import type {
  DeliveryResult,
  DeviceRange,
  Lane,
  Lease,
  LeasedJob,
  StepMark,
  NewNotification,
  PendingDevice,
  Work,
} from "../delivery.ts";

/** A notification and its work, which are stored together or not at all. */
export interface AcceptRequest {
  readonly notification: NewNotification;
  readonly lane: Lane;
  /**
   * The devices, or the audience whose devices the commit itself reads. Null if there is no device: the notification is
   * complete without a job.
   */
  readonly work: Work | AudienceWork | null;
  readonly idempotency: IdempotencyRecord | null;
  /** True if the accepting node sends immediately; otherwise the job is due for any node. */
  readonly takeLease: boolean;
  /** Rows that the sending room adds, stored together with the notification or not at all. */
  readonly extraRows?: readonly NotificationRow[];
}

/** A row that belongs to a notification. */
export type NotificationRow = Extract<
  NewRow,
  { readonly row: { readonly notification_id: string } }
>;

/**
 * The devices of the notification's audience at the time of the commit. If there are more than `max`, nothing is
 * stored.
 */
export interface AudienceWork {
  readonly kind: "audience";
  readonly max: number;
}

/** Identifies a request and its repetitions; hashes are SHA-256 in hexadecimal. */
export interface IdempotencyRecord {
  /** Owner of the idempotency key: the first API key of a rotation chain, for the whole chain, or an account. */
  readonly keyId: string;
  /**
   * The API key that sends, if it is not the first of its chain. Nodes of a version before migration 0030 know only
   * this key.
   */
  readonly laterKeyId?: string;
  readonly keyHash: string;
  readonly contentHash: string;
}

/** The result of an accept request. `mismatch`: the idempotency key was used before for other content. */
export type AcceptResult =
  /** `job` is null if no lease was taken, or if there is no work. `targets` are the devices that the commit read. */
  | {
      readonly kind: "accepted";
      readonly job: LeasedJob | null;
      readonly targets: readonly Target[] | null;
    }
  | {
      readonly kind: "replayed";
      readonly notificationId: string;
      readonly targets: readonly Target[] | null;
    }
  | { readonly kind: "mismatch" }
  /** The audience has more devices than the commit may read; nothing is stored. */
  | { readonly kind: "too_many" };

/** The results of some of a job's devices, and the next step of the job. */
export interface Settlement {
  /** Makes the settlement idempotent: after a lost response, it is submitted again with this id, and recorded once. */
  readonly id: string;
  readonly lease: Lease;
  readonly notificationId: string;
  /** At most 500. */
  readonly results: readonly DeliveryResult[];
  /** Device states that the attempts revealed; written even if the lease was lost. */
  readonly deviceStateUpdate: DeviceStateUpdate | null;
  readonly next: NextStep;
}

/** The transition of a job after a settlement. Only `done` and `retry` give up the lease. */
export type NextStep =
  | { readonly kind: "done" }
  /** Records progress and keeps the lease. */
  | {
      readonly kind: "checkpoint";
      readonly pending: readonly PendingDevice[];
      readonly until: number;
    }
  | {
      readonly kind: "retry";
      readonly pending: readonly PendingDevice[];
      readonly at: number;
      /** The services that the job waits for. The release of one makes it due. */
      readonly waitsFor: readonly string[];
    }
  /** Commits the chunks and the advanced cursor together; keeps the lease until `until`. */
  | {
      readonly kind: "expand";
      /** The previous cursor. */
      readonly from: string;
      readonly cursor: string;
      readonly chunks: readonly DeviceRange[];
      /** Number of devices in the chunks, added to the device count of the notification. */
      readonly deviceCount: number;
      readonly until: number;
    }
  /** Keeps the lease and writes or clears the mark of the next step. Every other transition clears the mark. */
  | { readonly kind: "mark"; readonly mark: StepMark | null };

/** A step of the release of a service's waiting jobs. */
export interface ReleaseResult {
  /** Number of devices whose wait the step ended; each job counts as at least one. */
  readonly deviceCount: number;
  /** True if no more jobs wait for the service. */
  readonly isComplete: boolean;
}

/** The result of a settlement; `fenced` if its lease was lost, so that no result was recorded. */
export type SettleAck = "ok" | "fenced";

/** The jobs that are in the queue now, for operators. */
export interface QueueStats {
  readonly jobs: number;
  readonly due: number;
  /** Milliseconds for which the oldest due job has been due. */
  readonly oldestDueMs: number;
}

/** The queue. A method that writes does so in one atomic, durable transaction, which contains no network call. */
export interface DeliveryStore {
  /** Stores notifications with their work; returns results in the order of the requests. */
  accept(batch: readonly AcceptRequest[]): Promise<readonly AcceptResult[]>;
  /**
   * Leases due jobs, the longest due first, and counts a crash for each job that still has an owner. A mark left by
   * that owner becomes the job's `suspect`, unless the owner is this node, which is alive.
   */
  claim(input: { lane: Lane; max: number; until: number }): Promise<readonly LeasedJob[]>;
  /** Renews leases; returns the ids of the jobs whose lease was lost. */
  renew(leases: readonly Lease[], until: number): Promise<readonly string[]>;
  /**
   * Records results under their leases. A settlement whose lease was lost changes only device states. A settlement that
   * is already recorded adds nothing.
   */
  settle(batch: readonly Settlement[]): Promise<readonly SettleAck[]>;
  /** Releases the leases of unfinished jobs, which become due at `at`. Counts no crash. */
  releaseLeases(leases: readonly Lease[], at: number): Promise<void>;
  /**
   * Makes the oldest jobs that wait for this service due and ends their wait for it. Stops at `max` devices; each job
   * counts as at least one.
   */
  releaseWaiting(input: { service: string; max: number }): Promise<ReleaseResult>;
  /** Makes all jobs due that wait for these services, and ends their waits for them. */
  endWaits(services: readonly string[]): Promise<void>;
  /** Makes the `max` oldest jobs that wait for this service due, as half-open probes. Their waits stay. */
  makeProbesDue(service: string, max: number): Promise<number>;
  /**
   * Makes all jobs due, at startup, that an earlier process still owns, and returns the number of jobs. Counts crashes
   * as `reclaim` does.
   */
  recover(): Promise<number>;
  /**
   * Makes all jobs of these dead nodes due and returns the number of jobs. Counts a crash for each job, and turns its
   * mark into its `suspect`.
   */
  reclaim(owners: readonly string[]): Promise<number>;
  /**
   * Makes jobs due whose lease ends later than any valid lease; returns their number. A live owner renews its
   * lease or is fenced.
   */
  endOverlongLeases(): Promise<number>;
  /**
   * Makes at most `max` jobs due that wait for a later time. Starts after the id `after`, which is "" at first, and
   * follows the order of ids. Returns the number of jobs and the `after` of the next call.
   */
  makeWaitingJobsDue(input: {
    after: string;
    max: number;
  }): Promise<{ count: number; lastId: string }>;
  /** Returns at most `max` push services that jobs wait for. */
  listAwaitedServices(max: number): Promise<readonly string[]>;
  /** Returns the time at which the next job is due, including leased jobs; null if there is no job. */
  findNextDueAt(): Promise<number | null>;
  getQueueStats(): Promise<QueueStats>;
}
