import type { DeliveryState, ProviderName } from "@tocsin/sdk";

/** An unfinished job. The transaction that records its last outcome deletes the row. */
export interface SendJobTable {
  id: string;
  notification_id: string;
  /** 0 interactive, 1 normal, 2 bulk. */
  lane: number;
  kind: "deliver" | "expand";
  /** The remaining devices: `(range_after, range_up_to]` of the audience, or the list in `pending`. */
  range_after: string;
  range_up_to: string;
  /** The devices, as `encodePending` writes them; null means the whole range. */
  pending: string | null;
  /** Due time; during a lease, the end of the lease. */
  run_at: number;
  /** Fencing epoch. A result is recorded only if the epoch still matches. */
  epoch: number;
  /** Number of processes that died while they held the job's lease. */
  crashes: number;
  /** The node that holds the lease, or "". */
  owner: string;
  expires_at: number;
  /** The running step of a quarantined job, as `encodeMark` writes its `StepMark`; null if no marked step runs. */
  marked: string | null;
  /**
   * The `StepMark` of the step during which the last process died; null once a run has recorded what followed from
   * that.
   */
  suspected: string | null;
}

/** A service whose recovery makes a job due immediately. Rows of finished jobs have no effect. */
export interface SendJobWaitTable {
  job_id: string;
  service: string;
}

/** A page of the recorded results of a notification. */
export interface DeliveryPageTable {
  notification_id: string;
  id: string;
  created_at: number;
  /** At most `CHUNK_MAX` results, as `encodeResults` writes them. */
  results: string;
  /** JSON of the number of results per state, for counting a bulk notification without reading its results. */
  counts: string;
}

/** The number of an audience's deliveries that ended on one day with the same provider, outcome and pace. */
export interface ActivityTable {
  audience_id: string;
  /** Days since the epoch, in UTC. */
  day: number;
  provider: ProviderName;
  state: DeliveryState;
  code: string;
  /** Bucket of the time until acceptance, see `toPace`; 0 unless the deliveries were accepted. */
  pace: number;
  count: number;
}

/** An outcome counter (a tally) that is not yet added to `activity`. */
export interface ActivityTallyTable extends ActivityTable {
  id: string;
}

/** An idempotency key that was used, and the notification that it was used for. */
export interface IdempotencyTable {
  key_id: string;
  /** SHA-256, hexadecimal, of the caller's idempotency key. */
  key_hash: string;
  /** SHA-256, hexadecimal, of the content that was sent with the key. */
  content_hash: string;
  notification_id: string;
  created_at: number;
}
