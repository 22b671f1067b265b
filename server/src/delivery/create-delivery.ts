import type { Context } from "#context.ts";
import { Listeners } from "#concurrency/listeners.ts";
import type { Address, Provider, ProviderName } from "#providers/provider.ts";
import { accept, createAccepting, type HandedOver, type Handover } from "./accept/accept.ts";
import { Doubts } from "./accept/doubts.ts";
import { Breakers, type ServiceChange } from "./services/breakers.ts";
import { BulkPacer } from "./limits/bulk-pacer.ts";
import type { NewNotification } from "./delivery.ts";
import type { DeliveryStore, Settlement, SettleAck } from "./store/delivery-store.ts";
import { RecoveryScheduler } from "./services/recovery-scheduler.ts";
import { RemoteResults } from "./result/remote-results.ts";
import { GroupCommit } from "./limits/group-commit.ts";
import type { CertainTime, DeliveryLimits, DeliveryListeners, Peers } from "./deps.ts";
import { providerOf, type ServiceRecord } from "./services/service-records.ts";
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
import { countWaiting } from "./store/waiting.ts";
import type { Report, Watch } from "./result/watch.ts";
import { DeliveryWorker } from "./worker/worker.ts";

/**
 * Maximum of concurrent attempts in this process, as many as the connections of each provider can carry. A provider with its own
 * limits, such as Web Push, does not use these.
 */
const ATTEMPTS_MAX: Readonly<Record<ProviderName, number>> = {
  apns: 1_000,
  fcm: 200,
  webpush: 400,
};
/** Largest share of these for bulk, so that other lanes always find some free. */
const BULK_SHARE = 0.6;
const SETTLE_BATCH_MAX = 64;

export interface DeliveryOptions extends DeliveryListeners {
  readonly context: Context;
  /** Identifies this process as the owner of leases; never reused. */
  readonly nodeId: string;
  /** Null if this process has the database for itself. */
  readonly peers: Peers | null;
  readonly providers: readonly Provider[];
  readonly random: () => number;
  /** Reports doubts about the wall clock, and its last reading in the previous process. */
  readonly proven: CertainTime;
  /** Called with every stored notification, before its first attempt; must not throw. */
  readonly onAccepted: (notification: NewNotification) => void;
  /** Called when a service becomes held or suspected, or is released; must not throw. */
  readonly onServiceChanged: (change: ServiceChange) => void;
  /** Publishes trouble with a push service to the other nodes; the message may be lost. */
  readonly publishTrouble: (trouble: PublishedTrouble) => void;
}

export interface Delivery {
  readonly worker: DeliveryWorker;
  /** Notes a report of another process, for callers that wait in this one. */
  noteRemoteReport(notificationId: string, report: Report): void;
  /** Returns a watch of a notification that another process sends; null if there is no other process. */
  watchRemote(notificationId: string, deviceIds: readonly string[]): Watch | null;
  /** Slows bulk down briefly; called before every other send. */
  giveWay(): void;
  /** Stores a notification durably and begins to send it. Throws `unavailable`, which states whether it may be stored. */
  accept(handover: Handover): Promise<HandedOver>;
  stats: ReturnType<typeof createDeliveryStore>["stats"];
  /** Returns every service that is held now. */
  heldServices: Breakers["held"];
  /** The troubles with push services that any node has reported. */
  readonly troubles: ServiceTroubles;
  /** Returns the push service of a device's address, by its name in `troubles`; null if its provider is not set up. */
  serviceOf(address: Address): string | null;
  /** Returns the state of a provider's services. Troubles come from all nodes, the rest from this process. */
  reportOn(provider: ProviderName): ProviderReport;
  /** Returns how many jobs wait for each held service. */
  countWaiting(): Promise<ReadonlyMap<string, number>>;
}

/** The state of one provider's services. */
export interface ProviderReport extends ServiceRecord {
  /** Services that are held or suspected. */
  readonly troubles: readonly ServiceTrouble[];
}

/** Returns the delivery module of one process. The caller starts and stops its worker. */
export function createDelivery(options: DeliveryOptions): Delivery {
  const clock = new ClockRollback(options.context, options.proven.shownBefore);
  return createWithClock({ ...options, context: { ...options.context, now: clock.now } }, clock);
}

/** `clock` is the wall clock of `options.context`. */
function createWithClock(options: DeliveryOptions, clock: ClockRollback): Delivery {
  const { context, providers, peers, proven } = options;
  const remoteResults = new RemoteResults();
  const { store, settling, accepting, doubts, counters } = createCommits(options);
  const due = new Listeners<[at: number]>();
  const { breakers, recoveryScheduler, ...services } = createServices(options, { store, due });
  const limits = createLimits(context);
  const worker = new DeliveryWorker(
    {
      ...context,
      ...limits,
      ...listenersOf(options),
      store,
      settle: settling.push,
      providers: new Map(providers.map((provider) => [provider.name, provider])),
      breakers,
      isInDoubt: proven.isInDoubt,
      quarantine: new Quarantine(),
      recoveryScheduler,
      counters,
      doubts,
      peers,
      random: options.random,
    },
    clock,
  );
  due.add((at) => worker.wakeAt(at));
  return {
    worker,
    stats: () => store.stats(),
    ...services,
    countWaiting: () => countWaiting(context),
    giveWay: limits.bulkPacer.giveWay,
    accept: (handover) => accept({ ...options, accepting, worker, remoteResults }, handover),
    ...remoteReportMethods(peers, remoteResults),
  };
}

/** Returns the breakers and their listeners. Calls `due` with times at which jobs are due. */
function createServices(
  options: DeliveryOptions,
  { store, due }: { readonly store: DeliveryStore; readonly due: Listeners<[at: number]> },
) {
  const { context, nodeId, peers, onServiceChanged } = options;
  const recoveryScheduler = new RecoveryScheduler({
    ...context,
    store,
    onDue: () => {
      peers?.publishDue();
      due.call(context.now());
    },
  });
  const changes = new Listeners<[change: ServiceChange]>();
  const breakers = new Breakers({
    ...context,
    nodeId,
    onBack: (service, usualPerSecond) => recoveryScheduler.begin(service, usualPerSecond),
    onChange: changes.call,
  });
  const serviceMethods = createServiceMethods(options, breakers);
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
function listenersOf({ publish, onDeviceChanged, fileLate }: DeliveryListeners): DeliveryListeners {
  return { publish, onDeviceChanged, fileLate };
}

/** Returns the methods for other modules that report on push services. */
function createServiceMethods(
  { context: { elapsed }, nodeId, providers, publishTrouble }: DeliveryOptions,
  breakers: Breakers,
): Pick<Delivery, "heldServices" | "troubles" | "serviceOf" | "reportOn"> {
  const own = () => breakers.troubles();
  const troubles = new ServiceTroubles({ nodeId, own, publish: publishTrouble, elapsed });
  return {
    heldServices: () => breakers.held(),
    troubles,
    serviceOf(address) {
      const provider = providers.find(({ name }) => name === address.provider);
      return provider?.serviceOf(address) ?? null;
    },
    reportOn: (provider) => ({
      ...breakers.records.of(provider),
      troubles: troubles.all().filter(({ service }) => providerOf(service) === provider),
    }),
  };
}

function createCommits({ context, nodeId, peers }: DeliveryOptions) {
  const { elapsed } = context;
  const store = createDeliveryStore(context, nodeId);
  const counters = new OutcomeCounters(context);
  // An earlier process may have left counts that are not added up.
  counters.note();
  const settling = new GroupCommit<Settlement, SettleAck>({
    async commit(batch) {
      const acks = await store.settle(batch);
      counters.note();
      if (batch.some(({ next }) => leavesDue(next, context.now()))) peers?.publishDue();
      return acks;
    },
    batchMax: SETTLE_BATCH_MAX,
    waitMaxMs: Number.POSITIVE_INFINITY,
    elapsed,
    tooSlow: () => new Error("A settlement waits as long as it takes."),
  });
  const doubts = new Doubts({ log: context.log, elapsed });
  const accepting = createAccepting({ store, doubts }, elapsed);
  return { store, settling, accepting, doubts, counters };
}

function remoteReportMethods(
  peers: Peers | null,
  remoteResults: RemoteResults,
): Pick<Delivery, "noteRemoteReport" | "watchRemote"> {
  return {
    noteRemoteReport: (notificationId, report) => remoteResults.note(notificationId, report),
    watchRemote: (notificationId, deviceIds) =>
      peers === null ? null : remoteResults.watch(notificationId, deviceIds),
  };
}

/** Returns whether a step leaves jobs due for any node: chunks of a large audience, or a released job. */
function leavesDue(next: Settlement["next"], now: number): boolean {
  return next.kind === "expand" || (next.kind === "retry" && next.at <= now);
}

function createLimits({ elapsed }: Context): DeliveryLimits {
  return {
    attemptLimits: {
      apns: limitsFor("apns"),
      fcm: limitsFor("fcm"),
      webpush: limitsFor("webpush"),
    },
    bulkPacer: new BulkPacer(elapsed),
    deviceQueue: new KeyedQueue(elapsed),
  };
}

function limitsFor(provider: ProviderName): LaneLimits {
  const count = ATTEMPTS_MAX[provider];
  return new LaneLimits(count, Math.floor(count * BULK_SHARE));
}
