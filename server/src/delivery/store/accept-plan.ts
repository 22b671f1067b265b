import type { QueryResult } from "kysely";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import { InDoubtError, type ReadQueries } from "#database/in-doubt-error.ts";
import type { LeasedJob, Work } from "../delivery.ts";
import { AcceptInDoubtError } from "../accept/accept-in-doubt.ts";
import { LEASE_MS } from "../lease.ts";
import type { AcceptRequest, AcceptResult, Idempotency } from "./delivery-store.ts";
import { decodePending, toWorkColumns } from "./rows.ts";

/** Time for which an idempotency key is remembered. */
export const IDEMPOTENCY_TTL_MS = 24 * 60 * 60 * 1_000;

/** The epoch of a job before its first claim. */
const FIRST_EPOCH = 1;

/** A request with the job that its commit creates. */
export interface PlannedRequest {
  readonly request: AcceptRequest;
  readonly jobId: string;
  readonly runAt: number;
  readonly owner: string;
}

/** Returns a request with its job, for the node `owner`. */
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

/** The query that reads the stored idempotency key of a request. */
interface KeyLookup {
  readonly planned: PlannedRequest;
  readonly query: Compilable;
}

/** Returns the lookups of all requests with an idempotency key, in their order. */
export function createKeyLookups(
  context: Context,
  batch: readonly PlannedRequest[],
): readonly KeyLookup[] {
  return batch.flatMap((planned) => {
    const { idempotency } = planned.request;
    return idempotency === null ? [] : [{ planned, query: selectKey(context, idempotency) }];
  });
}

/** The rows that `selectKey` read for each request with an idempotency key. */
type StoredKeys = ReadonlyMap<PlannedRequest, readonly unknown[]>;

/** Returns the stored keys, from the results of the lookups in the same order. */
export function readStoredKeys(
  lookups: readonly KeyLookup[],
  results: readonly QueryResult<unknown>[],
): StoredKeys {
  return new Map(lookups.map(({ planned }, index) => [planned, results[index]?.rows ?? []]));
}

function selectKey({ database: { db } }: Context, key: Idempotency): Compilable {
  return db
    .selectFrom("idempotency")
    .select(["notification_id", "content_hash"])
    .where("key_id", "=", key.keyId)
    .where("key_hash", "=", key.keyHash);
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

/** Returns the result of a request whose devices were given. */
export function toResult(planned: PlannedRequest, storedKeys: StoredKeys): AcceptResult {
  const { request } = planned;
  const accepted = {
    kind: "accepted",
    job: toLeasedJob(planned, request.work),
    targets: null,
  } as const;
  if (request.idempotency === null) return accepted;
  // The columns that `selectKey` selects.
  const [row] = (storedKeys.get(planned) ?? []) as readonly {
    notification_id: string;
    content_hash: string;
  }[];
  if (row?.notification_id === request.notification.id) return accepted;
  if (row !== undefined && row.content_hash === request.idempotency.contentHash) {
    return { kind: "replayed", notificationId: row.notification_id, targets: null };
  }
  return { kind: "mismatch" };
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
    // If another node considers this one dead, it has taken over the leases.
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
      if (!isStored && (storedKeys.get(item) ?? []).length === 0) return [request, null];
      const result = toResult(item, storedKeys);
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

/** Returns the work that was stored: the devices that the commit read, if it read them. */
function getStoredWork({ work }: AcceptRequest, pending: string | null): Work | null {
  if (work?.kind !== "audience") return work;
  return pending === null ? null : { kind: "devices", pending: decodePending(pending) };
}
