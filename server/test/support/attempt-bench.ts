import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { tryDevice } from "#delivery/attempt/try-device.ts";
import type { Tried } from "#delivery/attempt/tried.ts";
import {
  untried,
  type Lane,
  type NewNotification,
  type PendingDevice,
} from "#delivery/delivery.ts";
import type { AttemptDeps } from "#delivery/deps.ts";
import { LEASE_MS } from "#delivery/lease.ts";
import { BulkPacer } from "#delivery/limits/bulk-pacer.ts";
import { KeyedQueue } from "#delivery/limits/keyed-queue.ts";
import { LaneLimits } from "#delivery/limits/lane-limits.ts";
import { Breakers } from "#delivery/services/breakers.ts";
import { HeldLease } from "#delivery/worker/held-lease.ts";
import { audienceTargets } from "#devices/audiences/store.ts";
import { notificationTo } from "./notifications.ts";
import { PlacingProvider } from "./placing-provider.ts";
import { insertAccount, insertDevice, testContext, type TestedContext } from "./room.ts";
import { ACCEPTED } from "./scripted-provider.ts";

/** The dependencies of attempts on a real database, with a scripted provider. */
export interface AttemptBench {
  readonly context: TestedContext;
  readonly accountId: string;
  readonly provider: PlacingProvider;
  readonly deps: AttemptDeps;
  /** The retired devices. */
  readonly changed: string[];
}

/** Prepares attempts at devices of one account, without a job or a worker. */
export async function startAttempts(
  t: TestContext,
  given: Partial<Pick<AttemptDeps, "random" | "isInDoubt">> = {},
): Promise<AttemptBench> {
  const context = await testContext(t);
  const { now, elapsed } = context;
  const provider = new PlacingProvider();
  const changed: string[] = [];
  const limits = new LaneLimits(10, 5);
  const deps: AttemptDeps = {
    ...context,
    attemptLimits: { apns: limits, fcm: limits, webpush: limits },
    bulkPacer: new BulkPacer(elapsed),
    deviceQueue: new KeyedQueue(elapsed),
    providers: new Map([["webpush", provider]]),
    breakers: new Breakers({ now, elapsed, nodeId: "node-1", onChange() {}, onBack() {} }),
    isInDoubt: () => false,
    onDeviceChanged: ({ deviceId }) => changed.push(deviceId),
    random: () => 0.5,
    ...given,
  };
  return { context, accountId: await insertAccount(context), provider, deps, changed };
}

/** Adds a device to the account, and returns its id. */
export async function addBrowser(
  { context, accountId }: AttemptBench,
  endpoint: string,
): Promise<string> {
  const address = { provider: "webpush", endpoint, keys: { p256dh: "", auth: "" } } as const;
  const device = { accountId, name: endpoint, platform: "web", address } as const;
  return (await insertDevice(context, device))?.id ?? assert.fail("The device already exists.");
}

export interface GivenTry {
  readonly notification?: NewNotification;
  readonly lane?: Lane;
  readonly before?: Partial<PendingDevice>;
  readonly held?: HeldLease;
  readonly mark?: () => Promise<boolean>;
  readonly letNext?: () => void;
}

/** Returns a lease that ends after `ms` milliseconds. */
export function leaseFor({ context }: AttemptBench, ms = LEASE_MS): HeldLease {
  return new HeldLease({ jobId: context.newId(), epoch: 1, until: context.now() + ms }, context);
}

/** Makes one attempt at a device that was just read. */
export async function tryOnce(
  bench: AttemptBench,
  deviceId: string,
  given: GivenTry = {},
): Promise<Tried | null> {
  const { context, accountId, deps } = bench;
  const { notification = notificationTo(context, accountId), lane = 0 } = given;
  const { held = leaseFor(bench), mark = null, letNext = () => {} } = given;
  const [fresh] = untried([deviceId], context.now());
  const [target] = await audienceTargets(context, notification.audience, { deviceIds: [deviceId] });
  assert.ok(fresh !== undefined && target !== undefined);
  const before = { ...fresh, ...given.before };
  const work = { kind: "devices", pending: [before] } as const;
  const job = { lease: held.lease, lane, notification, work, crashes: 0, suspect: null };
  const readAt = context.elapsed();
  return tryDevice(deps, { job, held, item: { before, target }, readAt, mark, letNext });
}

/** Scripts an endpoint whose response comes only when the test calls `respond`. */
export function delayResponse({ provider }: AttemptBench, endpoint: string) {
  const [begun, response] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  provider.script(endpoint, async () => {
    begun.resolve();
    await response.promise;
    return ACCEPTED;
  });
  return { begun: begun.promise, respond: response.resolve };
}

/** Starts `count` attempts at a busy device, each once the one before waits. Returns their outcomes to come. */
export async function queueAttempts(
  bench: AttemptBench,
  deviceId: string,
  count: number,
): Promise<readonly Promise<Tried | null>[]> {
  const tries: Promise<Tried | null>[] = [];
  while (tries.length < count) {
    const waits = Promise.withResolvers<void>();
    tries.push(tryOnce(bench, deviceId, { letNext: waits.resolve }));
    await waits.promise;
  }
  return tries;
}
