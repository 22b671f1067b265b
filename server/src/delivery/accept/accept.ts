import { setTimeout as wait } from "node:timers/promises";
import type { Context } from "#context.ts";
import type { Target } from "#devices/device.ts";
import type { NewNotification } from "../delivery.ts";
import type { AcceptRequest, AcceptResult, DeliveryStore } from "../store/delivery-store.ts";
import type { RemoteResults } from "../result/remote-results.ts";
import { GroupCommit } from "../limits/group-commit.ts";
import { maybeStored, notStored } from "./accept-errors.ts";
import type { Peers } from "../deps.ts";
import type { Watch } from "../result/watch.ts";
import type { DeliveryWorker } from "../worker/worker.ts";
import type { Doubts } from "./doubts.ts";
import { AcceptInDoubtError, type Certainty } from "./accept-in-doubt.ts";

const ACCEPT_BATCH_MAX = 128;
/** Longest wait for a commit to begin. After that, `accept` reports that nothing was stored. */
const ACCEPT_WAIT_MS = 1_000;
/** Longest wait for a commit in doubt if the database closed the connection, so that callers get a response within 2 s. */
const DOUBT_MAX_MS = 1_800;
/** Longest wait if the database did not respond for 2 s, for example because packets are lost. Callers then wait up to 4 s. */
const LATE_DOUBT_MAX_MS = 3_500;

/** A notification with its work, from the module that sends it. */
export interface Handover {
  readonly request: Omit<AcceptRequest, "takeLease" | "alongside">;
  /** Rows of the module that sends, stored together with the notification or not at all. */
  readonly alongside: NonNullable<AcceptRequest["alongside"]>;
  /** The audience's devices if they were just read; otherwise null. */
  readonly targets: readonly Target[] | null;
  /** Time at which the caller began to wait, from `performance.now()`; defaults to now. */
  readonly askedAt?: number;
}

/** The result of a handover. */
export type HandedOver =
  | {
      readonly kind: "accepted";
      readonly notification: NewNotification;
      readonly watch: Watch | null;
    }
  | Exclude<AcceptResult, { readonly kind: "accepted" }>;

export interface AcceptDeps {
  readonly context: Context;
  readonly peers: Peers | null;
  readonly accepting: Accepting;
  readonly worker: DeliveryWorker;
  readonly remoteResults: RemoteResults;
  /** Called with every stored notification; must not throw. */
  readonly onAccepted: (notification: NewNotification) => void;
}

export type Accepting = GroupCommit<AcceptRequest, AcceptResult>;

/** A batch in doubt. Each of its requests waits for the certainty for as long as its caller may wait. */
class UnansweredError extends Error {
  readonly certainty: Promise<Certainty | null>;

  constructor(cause: unknown, certainty: Promise<Certainty | null>) {
    super("Whether notifications were stored is being asked.", { cause });
    this.certainty = certainty;
  }
}

/** Returns the group commit of notifications. A batch in doubt does not delay the next one. */
export function createAccepting(
  { store, doubts }: { readonly store: DeliveryStore; readonly doubts: Doubts },
  elapsed: () => number,
): Accepting {
  return new GroupCommit<AcceptRequest, AcceptResult>({
    commit: async (batch) => {
      try {
        return await store.accept(batch);
      } catch (error) {
        if (!(error instanceof AcceptInDoubtError)) throw error;
        throw new UnansweredError(error, doubts.clear(error));
      }
    },
    batchMax: ACCEPT_BATCH_MAX,
    waitMaxMs: ACCEPT_WAIT_MS,
    elapsed,
    tooSlow: () => notStored(null),
  });
}

/**
 * Stores a notification durably and begins to send it. Throws `unavailable`: `notStored` if it will never be stored, or
 * `maybeStored` if that is not known in time. A notification that is found later is sent like any other.
 */
export async function accept(deps: AcceptDeps, handover: Handover): Promise<HandedOver> {
  const { accepting, context, worker } = deps;
  const { alongside, askedAt = performance.now() } = handover;
  const begin = createBegin(deps, handover);
  const request = { ...handover.request, alongside, takeLease: worker.hasRoom };
  try {
    return begin(await accepting.push(request));
  } catch (error) {
    if (error instanceof UnansweredError) return whenCertain({ error, request, begin, askedAt });
    throw context.database.engine.isUnavailable(error) ? notStored(error) : error;
  }
}

interface UnansweredAccept {
  readonly error: UnansweredError;
  readonly request: AcceptRequest;
  readonly begin: (result: AcceptResult) => HandedOver;
  readonly askedAt: number;
}

async function whenCertain({
  error,
  request,
  begin,
  askedAt,
}: UnansweredAccept): Promise<HandedOver> {
  // A stored notification is sent even if its caller no longer waits.
  const handedOver = error.certainty.then((certainty) => {
    if (certainty === null) return "unknown";
    const result = certainty.get(request) ?? null;
    return result === null ? null : begin(result);
  });
  const waitedMs = performance.now() - askedAt;
  const limitMs = waitedMs < DOUBT_MAX_MS ? DOUBT_MAX_MS : LATE_DOUBT_MAX_MS;
  const tooLate = new AbortController();
  const inTime = wait(Math.max(0, limitMs - waitedMs), "unknown" as const, tooLate);
  try {
    const outcome = await Promise.race([handedOver, inTime]);
    if (outcome === "unknown") throw maybeStored(error.cause);
    if (outcome === null) throw notStored(error.cause);
    return outcome;
  } finally {
    tooLate.abort();
    inTime.catch(() => {});
  }
}

/** Returns a function that publishes a notification and begins its job once it is stored. */
function createBegin(
  deps: AcceptDeps,
  { request, targets }: Pick<Handover, "request" | "targets">,
) {
  const { context, peers, worker, onAccepted } = deps;
  const { notification } = request;
  const watch = watchRemote(deps, { request, targets });
  return (result: AcceptResult): HandedOver => {
    if (result.kind !== "accepted") return result;
    onAccepted(notification);
    // A notification that is accepted while the process stops is claimed after the next start.
    if (result.job !== null && !worker.isStopping) {
      return { kind: "accepted", notification, watch: worker.begin(result.job, targets) };
    }
    peers?.publishDue();
    worker.wakeAt(context.now());
    return { kind: "accepted", notification, watch };
  };
}

/** Returns a watch for reports of other processes if they send. It exists before they can begin. */
function watchRemote(
  { peers, remoteResults }: AcceptDeps,
  { request: { lane, notification }, targets }: Pick<Handover, "request" | "targets">,
): Watch | null {
  if (peers === null || peers.sends || lane !== 0 || targets === null) return null;
  const deviceIds = targets.map(({ deviceId }) => deviceId);
  return remoteResults.watch(notification.id, deviceIds);
}
