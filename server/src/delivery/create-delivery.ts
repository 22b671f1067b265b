import type { Context } from "#context.ts";
import { Listeners } from "#concurrency/listeners.ts";
import type { Address, Provider, PushProviderName } from "#providers/provider.ts";
import {
  accept,
  createAcceptGroupCommit,
  type AcceptListener,
  type HandoverResult,
  type Handover,
} from "./accept/accept.ts";
import { DoubtResolver } from "./accept/doubt-resolver.ts";
import {
  prepareAccept,
  type ConditionalHandover,
  type PreparedAccept,
} from "./accept/prepare-accept.ts";
import { Breakers } from "./services/breakers.ts";
import type { ServiceChange } from "./services/breakers-deps.ts";
import { BulkPacer } from "./limits/bulk-pacer.ts";
import type { DeliveryStore, Settlement, SettleAck } from "./store/delivery-store.ts";
import { RecoveryScheduler } from "./services/recovery-scheduler.ts";
import { RemoteResults } from "./result/remote-results.ts";
import { GroupCommit } from "./limits/group-commit.ts";
import type { ActLookup, ClockTrust, DeliveryListeners, QueueSharing } from "./deps.ts";
import { parseProvider, type ServiceRecord } from "./services/service-records.ts";
import {
  ServiceTroubles,
  type ServiceTrouble,
  type PublishedTrouble,
} from "./services/service-troubles.ts";
import { ClockRollback } from "./clock-rollback.ts";
import { LaneLimits } from "./limits/lane-limits.ts";
import { Quarantine } from "./limits/quarantine.ts";
import { createDeliveryStore } from "./store/create-store.ts";
import { OutcomeCounters } from "./result/outcome-counters.ts";
import { KeyedQueue } from "./limits/keyed-queue.ts";
import { countWaitingJobs } from "./store/waiting.ts";
import type { Report, Watch } from "./result/watch.ts";
import { DeliveryWorker } from "./worker/worker.ts";

/**
 * Maximum number of concurrent attempts in this process, as many as the connections of each provider can carry. A
 * provider with its own limits, such as Web Push, does not use these.
 */
const CONCURRENT_ATTEMPTS_MAX: Readonly<Record<PushProviderName, number>> = {
  apns: 1_000,
  fcm: 200,
  webpush: 400,
};
/** Largest share of the concurrent attempts for bulk, so that bulk cannot take all of them. */
const BULK_SHARE = 0.6;
const SETTLE_BATCH_MAX = 64;

/** The dependencies of the delivery module, which the composition hands in once per process. */
export interface DeliveryDeps extends DeliveryListeners, ActLookup {
  readonly context: Context;
  /** Identifies this process as the owner of leases; never reused. */
  readonly nodeId: string;
  /** Null if this process has the database for itself. */
  readonly sharing: QueueSharing | null;
  readonly providers: readonly Provider[];
  readonly random: () => number;
  readonly clockTrust: ClockTrust;
  /** Called before the first attempt. */
  readonly onAccepted: AcceptListener;
  /** Called when a service becomes held or suspected, or is released; must not throw. */
  readonly onServiceChanged: (change: ServiceChange) => void;
  /** Publishes trouble with a push service to the other nodes; the message may be lost. */
  readonly publishTrouble: (trouble: PublishedTrouble) => void;
}

/** The delivery module of one process, as other modules see it. */
export interface Delivery {
  readonly worker: DeliveryWorker;
  /** Adds a report of another process, for callers that wait in this one. */
  addRemoteReport(notificationId: string, report: Report): void;
  /** Returns a watch of a notification that another process sends; null if there is no other process. */
  watchRemote(notificationId: string, deviceIds: readonly string[]): Watch | null;
  /** Slows bulk down briefly; called before every other send. */
  slowBulkDown(): void;
  /**
   * Stores a notification durably and begins to send it. Throws `unavailable`, which states whether the notification
   * may be stored.
   */
  accept(handover: Handover): Promise<HandoverResult>;
  /** Prepares the acceptance of a notification by another room's transaction. */
  prepareAccept(
    handover: ConditionalHandover,
    condition: Parameters<typeof prepareAccept>[2],
  ): PreparedAccept;
  /** Begins jobs that another room's transaction made due, on any node. */
  readonly announceDueJobs: () => void;
  getQueueStats: ReturnType<typeof createDeliveryStore>["getQueueStats"];
  /** Returns every service that is held now. */
  listHeldServices: Breakers["listHeld"];
  /** Returns every service that is only suspected now. */
  listSuspectedServices: Breakers["listSuspected"];
  /** The troubles with push services that any node has reported. */
  readonly troubles: ServiceTroubles;
  /** Returns the push service of a device's address, by its name in `troubles`; null if its provider is not set up. */
  findService(address: Address): string | null;
  /** Returns the state of a provider's services. Troubles come from all nodes, the rest from this process. */
  getProviderReport(provider: PushProviderName): ProviderReport;
  /** Returns how many jobs wait for each held service. */
  countWaitingJobs(): Promise<ReadonlyMap<string, number>>;
}

/** The state of one provider's services. */
export interface ProviderReport extends ServiceRecord {
  /** Services that are held or suspected. */
  readonly troubles: readonly ServiceTrouble[];
}

/** Returns the delivery module of one process. The caller starts and stops its worker. */
export function createDelivery(deps: DeliveryDeps): Delivery {
  const clock = new ClockRollback(deps.context, deps.clockTrust.previousReadingAt);
  return createDeliveryWithClock({ ...deps, context: { ...deps.context, now: clock.now } }, clock);
}

/** `clock` is the wall clock of `deps.context`. */
function createDeliveryWithClock(deps: DeliveryDeps, clock: ClockRollback): Delivery {
  const { context, providers, sharing, clockTrust } = deps;
  const remoteResults = new RemoteResults();
  const { store, settleCommit, acceptCommit, doubtResolver, counters } = createCommits(deps);
  const due = new Listeners<[at: number]>();
  const { breakers, recoveryScheduler, ...services } = createServices(deps, { store, due });
  const limits = createLimits(context);
  const worker = new DeliveryWorker(
    {
      ...context,
      ...limits,
      ...pickListeners(deps),
      store,
      settle: settleCommit.submit,
      endWaits: (services) => store.endWaits(services),
      providers: new Map(providers.map((provider) => [provider.name, provider])),
      breakers,
      isExpiryInDoubt: clockTrust.isExpiryInDoubt,
      quarantine: new Quarantine(),
      recoveryScheduler,
      counters,
      doubtResolver,
      sharing,
      random: deps.random,
      findAct: deps.findAct,
    },
    clock,
  );
  due.add((at) => worker.wakeAt(at));
  const acceptDeps = { ...deps, groupCommit: acceptCommit, worker, remoteResults };
  return {
    worker,
    getQueueStats: () => store.getQueueStats(),
    announceDueJobs() {
      sharing?.publishJobsDue();
      due.call(context.now());
    },
    ...services,
    countWaitingJobs: () => countWaitingJobs(context),
    slowBulkDown: limits.bulkPacer.slowDown,
    accept: (handover) => accept(acceptDeps, handover),
    prepareAccept: (handover, condition) => prepareAccept(acceptDeps, handover, condition),
    ...createRemoteReportMethods(sharing, remoteResults),
  };
}

/**
 * Returns the breakers, the recovery scheduler and the methods that report on services. Calls `due` with the times at
 * which jobs are due.
 */
function createServices(
  deps: DeliveryDeps,
  { store, due }: { readonly store: DeliveryStore; readonly due: Listeners<[at: number]> },
) {
  const { context, nodeId, sharing, onServiceChanged } = deps;
  const recoveryScheduler = new RecoveryScheduler({
    ...context,
    store,
    onDue: () => {
      sharing?.publishJobsDue();
      due.call(context.now());
    },
  });
  const changes = new Listeners<[change: ServiceChange]>();
  const breakers = new Breakers({
    ...context,
    nodeId,
    onReleased: (service, usualPerSecond) => recoveryScheduler.begin(service, usualPerSecond),
    onChange: changes.call,
  });
  const serviceMethods = createServiceMethods(deps, breakers);
  changes.add((change) => {
    if (change.kind !== "held") return;
    recoveryScheduler.end(change.service);
    due.call(change.hold.until);
  });
  changes.add(({ service }) => serviceMethods.troubles.publish(service));
  changes.add(onServiceChanged);
  return { breakers, recoveryScheduler, ...serviceMethods };
}

/** Returns the listeners that the worker calls. */
function pickListeners({
  publishReport,
  onDeviceRetired,
  backfillFeed,
}: DeliveryListeners): DeliveryListeners {
  return { publishReport, onDeviceRetired, backfillFeed };
}

/** Returns the methods for other modules that report on push services. */
function createServiceMethods(
  { context: { elapsed }, nodeId, providers, publishTrouble }: DeliveryDeps,
  breakers: Breakers,
): Pick<
  Delivery,
  "listHeldServices" | "listSuspectedServices" | "troubles" | "findService" | "getProviderReport"
> {
  const listOwnTroubles = () => breakers.listTroubles();
  const troubles = new ServiceTroubles({
    nodeId,
    listOwnTroubles,
    publish: publishTrouble,
    elapsed,
  });
  return {
    listHeldServices: () => breakers.listHeld(),
    listSuspectedServices: () => breakers.listSuspected(),
    troubles,
    findService(address) {
      const provider = providers.find(({ name }) => name === address.provider);
      return provider?.getServiceName(address) ?? null;
    },
    getProviderReport: (provider) => ({
      ...breakers.records.getRecord(provider),
      troubles: troubles.listAll().filter(({ service }) => parseProvider(service) === provider),
    }),
  };
}

function createCommits({ context, nodeId, sharing }: DeliveryDeps) {
  const { elapsed } = context;
  const store = createDeliveryStore(context, nodeId);
  const counters = new OutcomeCounters(context);
  // An earlier process may have left counts that are not added up.
  counters.scheduleAddUp();
  const settleCommit = new GroupCommit<Settlement, SettleAck>({
    async commit(batch) {
      const acks = await store.settle(batch);
      counters.scheduleAddUp();
      if (batch.some(({ next }) => makesJobsDue(next, context.now()))) sharing?.publishJobsDue();
      return acks;
    },
    batchMax: SETTLE_BATCH_MAX,
    waitMaxMs: Number.POSITIVE_INFINITY,
    elapsed,
    createTimeoutError: () => new Error("A settlement has no time limit."),
  });
  const doubtResolver = new DoubtResolver({ log: context.log, elapsed });
  const acceptCommit = createAcceptGroupCommit({ store, doubtResolver }, elapsed);
  return { store, settleCommit, acceptCommit, doubtResolver, counters };
}

function createRemoteReportMethods(
  sharing: QueueSharing | null,
  remoteResults: RemoteResults,
): Pick<Delivery, "addRemoteReport" | "watchRemote"> {
  return {
    addRemoteReport: (notificationId, report) => remoteResults.addReport(notificationId, report),
    watchRemote: (notificationId, deviceIds) =>
      sharing === null ? null : remoteResults.watch(notificationId, deviceIds),
  };
}

/** Returns whether a step leaves jobs due for any node: chunks of a large audience, or a released job. */
function makesJobsDue(next: Settlement["next"], now: number): boolean {
  return next.kind === "expand" || (next.kind === "retry" && next.at <= now);
}

function createLimits({ elapsed }: Context) {
  return {
    attemptLimits: {
      apns: createLaneLimits("apns"),
      fcm: createLaneLimits("fcm"),
      webpush: createLaneLimits("webpush"),
    },
    bulkPacer: new BulkPacer(elapsed),
    deviceQueue: new KeyedQueue(elapsed),
  };
}

function createLaneLimits(provider: PushProviderName): LaneLimits {
  const count = CONCURRENT_ATTEMPTS_MAX[provider];
  return new LaneLimits(count, Math.floor(count * BULK_SHARE));
}
