import type { NewRow } from "#database/insert-rows.ts";
import type { DeviceStateUpdate } from "#devices/store/device-state.ts";
import type {
  DeliveryResult,
  DeviceRange,
  Lane,
  Lease,
  LeasedJob,
  Mark,
  NewNotification,
  PendingDevice,
  Work,
} from "../delivery.ts";

/** One notification with its work, to be remembered together or not at all. */
export interface AcceptRequest {
  readonly notification: NewNotification;
  readonly lane: Lane;
  readonly work: Work;
  readonly idempotency: Idempotency | null;
  /** True if the accepting node sends at once; otherwise the job is due for any node. */
  readonly takeLease: boolean;
  /** Rows of the sender's room, stored together with the notification or not at all. */
  readonly alongside?: readonly NewRow[];
}

/** Identifies a request and its repetitions; hashes are SHA-256 in hexadecimal. */
export interface Idempotency {
  /** Owner of the idempotency key: the first API key of a rotation chain, for the whole chain, or an account. */
  readonly keyId: string;
  /** The API key that sends, if it is not the first of its chain: nodes of a version before 0030 know that one alone. */
  readonly laterKeyId?: string;
  readonly keyHash: string;
  readonly contentHash: string;
}

export type AcceptResult =
  /** `job` is null if no lease was taken. */
  | { readonly kind: "accepted"; readonly job: LeasedJob | null }
  | { readonly kind: "replayed"; readonly notificationId: string }
  | { readonly kind: "mismatch" };

/** Results of some of a job's devices, and the next step of the job. */
export interface Settlement {
  /** Makes it idempotent: a settlement whose answer was lost is handed over again, and recorded once. */
  readonly id: string;
  readonly lease: Lease;
  readonly notificationId: string;
  /** At most 500. */
  readonly results: readonly DeliveryResult[];
  /** State of the devices themselves as attempts showed it; written whoever holds the lease. */
  readonly news: DeviceStateUpdate | null;
  readonly next: NextStep;
}

export type NextStep =
  | { readonly kind: "done" }
  /** The lease goes on; progress is recorded. */
  | {
      readonly kind: "checkpoint";
      readonly pending: readonly PendingDevice[];
      readonly until: number;
    }
  | {
      readonly kind: "retry";
      readonly pending: readonly PendingDevice[];
      readonly at: number;
      /** The services whose recovery makes the job due at once. */
      readonly waitsFor: readonly string[];
    }
  /** The chunks and the moved cursor are committed together; the lease goes on until `until`. */
  | {
      readonly kind: "expand";
      /** Where the cursor stood before. */
      readonly from: string;
      readonly cursor: string;
      readonly chunks: readonly DeviceRange[];
      /** How many devices the chunks hold; the notification counts them from now on. */
      readonly deviceCount: number;
      readonly until: number;
    }
  /** The lease goes on, and the row names the step that begins, or none. Every other step takes the mark away. */
  | { readonly kind: "mark"; readonly mark: Mark | null };

/** A step of the release of a service's waiting jobs. */
export interface ReleaseStep {
  /** Devices whose jobs it made due. */
  readonly devices: number;
  /** True if no job waits for the service any more. */
  readonly isAll: boolean;
}

export type SettleAck = "ok" | "fenced";

/** Jobs in the queue now, for operators. */
export interface QueueStats {
  readonly jobs: number;
  readonly due: number;
  /** Milliseconds that the longest waiting due job waits. */
  readonly oldestDueMs: number;
}

/** The queue. Every method is one atomic, durable transaction; there is no transaction callback, so none can span a network call. */
export interface DeliveryStore {
  /** Stores notifications with their work; the results are in the order of the requests. */
  accept(batch: readonly AcceptRequest[]): Promise<readonly AcceptResult[]>;
  /**
   * Leases due jobs, the longest due first, and counts a crash for each that was still owned. A mark that its owner left
   * becomes the job's `suspect`, unless the owner is this node, which lives.
   */
  claim(input: { lane: Lane; max: number; until: number }): Promise<readonly LeasedJob[]>;
  /** Prolongs leases; the ids of the jobs whose lease was lost are returned. */
  renew(leases: readonly Lease[], until: number): Promise<readonly string[]>;
  /**
   * Records results under their leases; a settlement whose lease was lost changes nothing, and one that was recorded
   * already adds nothing.
   */
  settle(batch: readonly Settlement[]): Promise<readonly SettleAck[]>;
  /** Gives leases back unfinished: the jobs are due at `at`, and no crash is counted. */
  release(leases: readonly Lease[], at: number): Promise<void>;
  /**
   * Makes jobs due that wait for this service, the oldest first, and ends their wait for it: as many as it takes to reach
   * `max` devices, where each job counts as at least one.
   */
  releaseWaiting(input: { service: string; max: number }): Promise<ReleaseStep>;
  /** Makes the `max` oldest jobs due that wait for this service, as half-open probes; they keep waiting for it. */
  makeProbesDue(service: string, max: number): Promise<number>;
  /** Makes every job due that a process before this one held, as `reclaim` does; returns how many there were. */
  recover(): Promise<number>;
  /**
   * Makes every job due that these nodes, which are dead, held; counts a crash for each, makes its mark the `suspect`, and
   * returns how many there were.
   */
  reclaim(owners: readonly string[]): Promise<number>;
  /** Makes every job due whose lease ends later than any lease can; returns how many. A holder renews it, or is fenced. */
  endLeasesAhead(): Promise<number>;
  /**
   * Makes at most `max` jobs due that wait for a later moment, in the order of their ids: the next after `after`, which
   * is "" at first. Returns how many there were, and where to go on.
   */
  makeWaitingDue(input: { after: string; max: number }): Promise<{ count: number; lastId: string }>;
  /** Returns the services that jobs wait for, at most so many. */
  waitedFor(max: number): Promise<readonly string[]>;
  /** Returns when the next job is due, leased ones included; null where nothing is owed. */
  nextDueAt(): Promise<number | null>;
  stats(): Promise<QueueStats>;
}
