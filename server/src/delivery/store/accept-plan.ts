import type { Context } from "#context.ts";
import { InDoubtError, type ReadQueries } from "#database/in-doubt-error.ts";
import type { Target } from "#devices/device.ts";
import { createDeviceWork, type LeasedJob, type Work } from "../delivery.ts";
import { AcceptInDoubtError } from "../accept/accept-in-doubt-error.ts";
import { LEASE_MS } from "../lease.ts";
import { createKeyLookups, getKeyOutcome, readStoredKeys } from "./idempotency-keys.ts";
import type { AcceptRequest, AcceptResult } from "./delivery-store.ts";
import { decodePending } from "./tuples.ts";
import { toWorkColumns } from "./rows.ts";

/** The epoch of a job before its first claim. */
const FIRST_EPOCH = 1;

/** A request with the job that its commit creates. */
export interface PlannedRequest {
  readonly request: AcceptRequest;
  readonly jobId: string;
  readonly runAt: number;
  readonly owner: string;
}

/** Returns a request with its new job. If the request takes the lease, the job belongs to the node `owner`. */
export function planRequest(
  context: Context,
  request: AcceptRequest,
  owner: string,
): PlannedRequest {
  const { takeLease } = request;
  const at = context.now();
  return {
    request,
    jobId: context.newId(),
    runAt: takeLease ? at + LEASE_MS : at,
    owner: takeLease ? owner : "",
  };
}

/** Returns the row of a job. Its columns are always in the same order, with the pending devices last. */
export function toJobRow({ request, jobId, runAt, owner }: PlannedRequest, work: Work) {
  const { lane, notification } = request;
  return {
    id: jobId,
    notification_id: notification.id,
    lane,
    run_at: runAt,
    epoch: FIRST_EPOCH,
    crashes: 0,
    owner,
    expires_at: notification.expiresAt,
    ...toWorkColumns(work),
  };
}

/** The outcome of a request in its commit, without the devices that the commit read. */
export type AcceptOutcome =
  | "accepted"
  | "too_many"
  | "mismatch"
  | readonly ["replayed", notificationId: string];

/** Returns the result of a request. `targets` are the devices that its commit read; null if it read none. */
export function toResult(
  planned: PlannedRequest,
  outcome: AcceptOutcome,
  targets: readonly Target[] | null,
): AcceptResult {
  if (outcome === "too_many" || outcome === "mismatch") return { kind: outcome };
  if (outcome !== "accepted") return { kind: "replayed", notificationId: outcome[1], targets };
  const work =
    targets === null
      ? planned.request.work
      : createDeviceWork(targets.map(({ deviceId }) => deviceId));
  return { kind: "accepted", job: toLeasedJob(planned, work), targets };
}

/** Returns the job of a request if its commit took the lease; null otherwise, or if there is no work. */
export function toLeasedJob(
  { request, jobId, runAt }: PlannedRequest,
  work: AcceptRequest["work"],
): LeasedJob | null {
  const { takeLease, lane, notification } = request;
  if (!takeLease || work === null || work.kind === "audience") return null;
  const lease = { jobId, epoch: FIRST_EPOCH, until: runAt };
  return { lease, lane, notification, work, crashes: 0, suspect: null };
}

/** Runs a commit. If it is in doubt, throws an `AcceptInDoubtError`, which can look up what was stored. */
export async function withLookupIfInDoubt<T>(
  context: Context,
  planned: readonly PlannedRequest[],
  commit: () => Promise<T>,
): Promise<T> {
  try {
    return await commit();
  } catch (error) {
    if (!(error instanceof InDoubtError)) throw error;
    throw new AcceptInDoubtError(error, () => findStored(context, planned, error.settleAndRead));
  }
}

/** Returns the result of each request of a batch; null if the request is not stored and never will be. */
async function findStored(
  context: Context,
  planned: readonly PlannedRequest[],
  query: ReadQueries,
): Promise<ReadonlyMap<AcceptRequest, AcceptResult | null>> {
  const ids = planned.map(({ request }) => request.notification.id);
  const jobIds = planned.map(({ jobId }) => jobId);
  const { db } = context.database;
  const lookups = createKeyLookups(context, planned);
  const [notifications, jobs, ...keys] = await query([
    db.selectFrom("notification").select("id").where("id", "in", ids),
    // A node that considers this one dead has taken over the leases.
    db
      .selectFrom("send_job")
      .select(["id", "pending"])
      .where("id", "in", jobIds)
      .where("epoch", "=", FIRST_EPOCH)
      .where("owner", "<>", ""),
    ...lookups.map((lookup) => lookup.query),
  ]);
  // The columns that the queries select.
  const notificationRows = (notifications?.rows ?? []) as readonly Pick<JobRow, "id">[];
  const jobRows = (jobs?.rows ?? []) as readonly JobRow[];
  const stored = new Set(notificationRows.map(({ id }) => id));
  const leased = new Map(jobRows.map(({ id, pending }) => [id, pending]));
  const storedKeys = readStoredKeys(lookups, keys);
  return new Map(
    planned.map((item): [AcceptRequest, AcceptResult | null] => {
      const { request, jobId } = item;
      const isStored = stored.has(request.notification.id);
      const storedKey = storedKeys.get(item);
      if (!isStored && storedKey === undefined) return [request, null];
      const result = toResult(item, getKeyOutcome(item, storedKey), null);
      if (result.kind !== "accepted") return [request, result];
      const pending = leased.get(jobId);
      const work = pending === undefined ? null : getStoredWork(request, pending);
      return [request, { ...result, job: toLeasedJob(item, work) }];
    }),
  );
}

interface JobRow {
  readonly id: string;
  readonly pending: string | null;
}

/** Returns the work that was stored: the devices that the commit read, or those that the request names. */
function getStoredWork({ work }: AcceptRequest, pending: string | null): Work | null {
  if (work?.kind !== "audience") return work;
  return pending === null ? null : { kind: "devices", pending: decodePending(pending) };
}
