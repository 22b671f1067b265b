import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { tryDevice } from "#delivery/attempt/try-device.ts";
import type { TryResult } from "#delivery/attempt/try-result.ts";
import {
  createPendingDevices,
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
import { findDevicesInAudience } from "#devices/audiences/store/audience-devices.ts";
import { createNotification } from "./notifications.ts";
import { AdmittingProvider } from "./admitting-provider.ts";
import { insertAccount, insertDevice, createRoomContext, type RoomContext } from "./context.ts";
import { ACCEPTED } from "./scripted-provider.ts";

/** The dependencies of attempts on a real database, with a scripted provider. */
export interface AttemptFixture {
  readonly context: RoomContext;
  readonly accountId: string;
  readonly provider: AdmittingProvider;
  readonly deps: AttemptDeps;
  /** Ids of the devices that an attempt retired. */
  readonly retiredDeviceIds: string[];
}

/** Prepares attempts at devices of one account, without a job or a worker. */
export async function createAttemptFixture(
  t: TestContext,
  options: Partial<Pick<AttemptDeps, "random" | "isExpiryInDoubt">> = {},
): Promise<AttemptFixture> {
  const context = await createRoomContext(t);
  const { now, elapsed } = context;
  const provider = new AdmittingProvider();
  const retiredDeviceIds: string[] = [];
  const limits = new LaneLimits(10, 5);
  const deps: AttemptDeps = {
    ...context,
    attemptLimits: { apns: limits, fcm: limits, webpush: limits },
    bulkPacer: new BulkPacer(elapsed),
    deviceQueue: new KeyedQueue(elapsed),
    providers: new Map([["webpush", provider]]),
    breakers: new Breakers({ now, elapsed, nodeId: "node-1", onChange() {}, onReleased() {} }),
    isExpiryInDoubt: () => false,
    onDeviceRetired: ({ deviceId }) => retiredDeviceIds.push(deviceId),
    random: () => 0.5,
    findAct: async () => null,
    ...options,
  };
  return { context, accountId: await insertAccount(context), provider, deps, retiredDeviceIds };
}

/** Adds a device to the account, and returns its id. */
export async function addBrowserDevice(
  { context, accountId }: AttemptFixture,
  endpoint: string,
): Promise<string> {
  const address = { provider: "webpush", endpoint, keys: { p256dh: "", auth: "" } } as const;
  const device = { accountId, name: endpoint, platform: "web", address } as const;
  return (await insertDevice(context, device))?.id ?? assert.fail("The device already exists.");
}

/** Deviations from a first attempt at a device in lane 0. */
export interface AttemptOptions {
  readonly notification?: NewNotification;
  readonly lane?: Lane;
  readonly pendingDevice?: Partial<PendingDevice>;
  readonly heldLease?: HeldLease;
  readonly writeMark?: () => Promise<boolean>;
  readonly allowNext?: () => void;
}

/** Returns a lease that ends after `ms` milliseconds. */
export function createLease({ context }: AttemptFixture, ms = LEASE_MS): HeldLease {
  return new HeldLease({ jobId: context.newId(), epoch: 1, until: context.now() + ms }, context);
}

/** Makes one attempt at a device that was just read. */
export async function attemptOnce(
  fixture: AttemptFixture,
  deviceId: string,
  options: AttemptOptions = {},
): Promise<TryResult | null> {
  const { context, accountId, deps } = fixture;
  const { notification = createNotification(context, accountId), lane = 0 } = options;
  const { heldLease = createLease(fixture), writeMark = null, allowNext = () => {} } = options;
  const [untriedDevice] = createPendingDevices([deviceId], context.now());
  const [target] = await findDevicesInAudience(context, notification.audience, {
    deviceIds: [deviceId],
  });
  assert.ok(untriedDevice !== undefined && target !== undefined);
  const pendingDevice = { ...untriedDevice, ...options.pendingDevice };
  const work = { kind: "devices", pending: [pendingDevice] } as const;
  const job = { lease: heldLease.lease, lane, notification, work, crashes: 0, suspect: null };
  const readAt = context.elapsed();
  return tryDevice(deps, {
    job,
    heldLease,
    dueDevice: { pendingDevice, target },
    readAt,
    writeMark,
    allowNext,
  });
}

/** Scripts an endpoint whose response comes only when the test calls `respond`. */
export function delayResponse({ provider }: AttemptFixture, endpoint: string) {
  const requestStarted = Promise.withResolvers<void>();
  const response = Promise.withResolvers<void>();
  provider.script(endpoint, async () => {
    requestStarted.resolve();
    await response.promise;
    return ACCEPTED;
  });
  return { requestStarted: requestStarted.promise, respond: response.resolve };
}

/** Starts `count` attempts at a busy device, each once the previous one is queued. Returns their pending outcomes. */
export async function queueAttempts(
  fixture: AttemptFixture,
  deviceId: string,
  count: number,
): Promise<readonly Promise<TryResult | null>[]> {
  const attempts: Promise<TryResult | null>[] = [];
  while (attempts.length < count) {
    const queuedSignal = Promise.withResolvers<void>();
    attempts.push(attemptOnce(fixture, deviceId, { allowNext: queuedSignal.resolve }));
    await queuedSignal.promise;
  }
  return attempts;
}
