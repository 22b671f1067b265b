import { setTimeout as wait } from "node:timers/promises";
import type { Context } from "#context.ts";
import type { Target } from "#devices/device.ts";
import type { NewNotification } from "../delivery.ts";
import type { AcceptRequest, AcceptResult, DeliveryStore } from "../store/delivery-store.ts";
import type { RemoteResults } from "../result/remote-results.ts";
import { GroupCommit } from "../limits/group-commit.ts";
import { createMaybeStoredError, createNotStoredError } from "./accept-errors.ts";
import type { QueueSharing } from "../deps.ts";
import type { Watch } from "../result/watch.ts";
import type { DeliveryWorker } from "../worker/worker.ts";
import type { DoubtResolver } from "./doubt-resolver.ts";
import { AcceptInDoubtError, type CertainResults } from "./accept-in-doubt-error.ts";

const ACCEPT_BATCH_MAX = 128;
/** Longest wait for a commit to begin. After that, `accept` reports that nothing was stored. */
const ACCEPT_WAIT_MS = 1_000;
/**
 * Longest wait for a commit in doubt if the database closed the connection, so that callers get a response within 2 s.
 */
const DOUBT_MAX_MS = 1_800;
/**
 * Longest wait if the doubt itself arose after `DOUBT_MAX_MS`, for example because packets were lost. Responses then
 * take up to 4 s.
 */
const LATE_DOUBT_MAX_MS = 3_500;

/** A notification with its work, from the room that sends it. */
export interface Handover {
  readonly request: Omit<AcceptRequest, "takeLease" | "extraRows">;
  /** Rows of the sending room, stored together with the notification or not at all. */
  readonly extraRows: NonNullable<AcceptRequest["extraRows"]>;
  /** The audience's devices if they were just read; null if the commit reads them, or if there are too many. */
  readonly targets: readonly Target[] | null;
  /** Time at which the caller began to wait, from `performance.now()`; defaults to now. */
  readonly requestedAt?: number;
}

/** The accepted notification with its watch and its devices, or the reason why it was not accepted. */
export type HandoverResult =
  | {
      readonly kind: "accepted";
      readonly notification: NewNotification;
      readonly watch: Watch | null;
      /** The audience's devices; null if they are too many, or if they are unknown after a commit in doubt. */
      readonly targets: readonly Target[] | null;
    }
  | Exclude<AcceptResult, { readonly kind: "accepted" }>;

/** Called with every stored notification, and with whether it is in a feed; must not throw. */
export type AcceptListener = (
  notification: NewNotification,
  feedState: { readonly isInFeed: boolean },
) => void;

/** The dependencies of `accept`. */
export interface AcceptDeps {
  readonly context: Context;
  readonly sharing: QueueSharing | null;
  readonly groupCommit: AcceptGroupCommit;
  readonly worker: DeliveryWorker;
  readonly remoteResults: RemoteResults;
  readonly onAccepted: AcceptListener;
}

/** The group commit that stores accepted notifications. */
export type AcceptGroupCommit = GroupCommit<AcceptRequest, AcceptResult>;

/** Thrown for each request of a batch in doubt. The request waits for the results as long as its caller may wait. */
class UncertainAcceptError extends Error {
  readonly certainResults: Promise<CertainResults | null>;

  constructor(cause: unknown, certainResults: Promise<CertainResults | null>) {
    super("The database is being queried for notifications that may be stored.", { cause });
    this.certainResults = certainResults;
  }
}

/** Returns the group commit of notifications. A batch in doubt does not delay the next one. */
export function createAcceptGroupCommit(
  {
    store,
    doubtResolver,
  }: { readonly store: DeliveryStore; readonly doubtResolver: DoubtResolver },
  elapsed: () => number,
): AcceptGroupCommit {
  return new GroupCommit<AcceptRequest, AcceptResult>({
    commit: async (batch) => {
      try {
        return await store.accept(batch);
      } catch (error) {
        if (!(error instanceof AcceptInDoubtError)) throw error;
        throw new UncertainAcceptError(error, doubtResolver.resolve(error));
      }
    },
    batchMax: ACCEPT_BATCH_MAX,
    waitMaxMs: ACCEPT_WAIT_MS,
    elapsed,
    createTimeoutError: () => createNotStoredError(null),
  });
}

/**
 * Stores a notification durably and begins to send it. Throws `unavailable`: `createNotStoredError` if it will never be
 * stored, or `createMaybeStoredError` if that is not known in time. A notification that is found later is sent like any
 * other.
 */
export async function accept(deps: AcceptDeps, handover: Handover): Promise<HandoverResult> {
  const { groupCommit, context, worker } = deps;
  const { extraRows, requestedAt = performance.now() } = handover;
  const beginJob = createBeginJob(deps, handover);
  const request = { ...handover.request, extraRows, takeLease: worker.hasCapacity };
  try {
    return beginJob(await groupCommit.submit(request));
  } catch (error) {
    if (error instanceof UncertainAcceptError)
      return waitForCertainty({ error, request, beginJob, requestedAt });
    throw context.database.engine.isUnavailable(error) ? createNotStoredError(error) : error;
  }
}

interface UncertainAccept {
  readonly error: UncertainAcceptError;
  readonly request: AcceptRequest;
  readonly beginJob: (result: AcceptResult) => HandoverResult;
  readonly requestedAt: number;
}

async function waitForCertainty({
  error,
  request,
  beginJob,
  requestedAt,
}: UncertainAccept): Promise<HandoverResult> {
  // A stored notification is sent even if its caller no longer waits.
  const handedOver = error.certainResults.then((results) => {
    if (results === null) return "unknown";
    const result = results.get(request) ?? null;
    return result === null ? null : beginJob(result);
  });
  const waitedMs = performance.now() - requestedAt;
  const limitMs = waitedMs < DOUBT_MAX_MS ? DOUBT_MAX_MS : LATE_DOUBT_MAX_MS;
  const timeout = new AbortController();
  const timedOut = wait(Math.max(0, limitMs - waitedMs), "unknown" as const, timeout);
  try {
    const outcome = await Promise.race([handedOver, timedOut]);
    if (outcome === "unknown") throw createMaybeStoredError(error.cause);
    if (outcome === null) throw createNotStoredError(error.cause);
    return outcome;
  } finally {
    timeout.abort();
    timedOut.catch(() => {});
  }
}

/** The fields of a handover that matter once it is stored. */
interface AcceptedHandover extends Pick<Handover, "targets" | "extraRows"> {
  readonly request: Pick<Handover["request"], "notification" | "work" | "lane">;
}

/** Returns the function that publishes a stored notification and begins its job. */
export function createBeginJob(deps: AcceptDeps, handover: AcceptedHandover) {
  const { request, targets, extraRows } = handover;
  const { context, sharing, worker, onAccepted } = deps;
  const { notification, work } = request;
  const remoteWatch = watchRemote(deps, request);
  // The entry of the feed is the only row that a sending room adds.
  const isInFeed = extraRows.length > 0;
  return (result: AcceptResult): HandoverResult => {
    if (result.kind !== "accepted") return result;
    onAccepted(notification, { isInFeed });
    const devices = result.targets ?? targets;
    const accepted = { kind: "accepted", notification, targets: devices } as const;
    const isForNobody = work?.kind === "audience" && devices?.length === 0;
    if (work === null || isForNobody) return { ...accepted, watch: null };
    // A notification that is accepted while the process stops is claimed after the next start.
    if (result.job !== null && !worker.isStopping) {
      return { ...accepted, watch: worker.beginJob(result.job, devices) };
    }
    sharing?.publishJobsDue();
    worker.wakeAt(context.now());
    if (devices === null) return { ...accepted, watch: null };
    remoteWatch?.setDevices(devices.map(({ deviceId }) => deviceId));
    return { ...accepted, watch: remoteWatch };
  };
}

/**
 * Returns a watch for the reports of other processes; null if this process sends, or if the caller does not wait. The
 * watch exists before another process can begin to send, and so possibly before this process knows the devices.
 */
function watchRemote(
  { sharing, remoteResults }: AcceptDeps,
  { lane, notification }: Pick<Handover["request"], "lane" | "notification">,
): Watch | null {
  if (sharing === null || sharing.shouldSend || lane !== 0) return null;
  return remoteResults.watch(notification.id, null);
}
