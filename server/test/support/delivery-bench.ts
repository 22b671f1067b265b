import type { TestContext } from "node:test";
import { EMPTY_CONTENT } from "@tocsin/sdk";
import { createDelivery, type Delivery, type DeliveryDeps } from "#delivery/create-delivery.ts";
import {
  createPendingDevices,
  type StepMark,
  type NewNotification,
  type Work,
} from "#delivery/delivery.ts";
import { createDeliveryStore } from "#delivery/store/create-store.ts";
import { encodeMark } from "#delivery/store/rows.ts";
import type { DeliveryWorker } from "#delivery/worker/worker.ts";
import { findResults } from "#notifications/log/store.ts";
import { insertAccount, insertDevice, createRoomContext, type RoomContext } from "./context.ts";
import { ScriptedProvider } from "./scripted-provider.ts";

const DAY_MS = 86_400_000;

/** The delivery module on a real database, with a scripted provider. */
export interface DeliveryBench {
  readonly context: RoomContext;
  readonly accountId: string;
  readonly provider: ScriptedProvider;
  readonly delivery: Delivery;
}

/** Starts the delivery module with a worker that the test runs step by step. It stops with the test. */
export async function startDeliveryBench(
  t: TestContext,
  options: Partial<Pick<DeliveryDeps, "backfillFeed" | "publishReport" | "onServiceChanged">> = {},
): Promise<DeliveryBench> {
  const context = await createRoomContext(t);
  const accountId = await insertAccount(context);
  const provider = new ScriptedProvider();
  const delivery = createDeliveryNode({ context, providers: [provider], ...options });
  t.after(() => delivery.worker.stop(0));
  return { context, accountId, provider, delivery };
}

/** Returns a delivery module whose callbacks do nothing, except those in `options`. */
export function createDeliveryNode(
  options: Pick<DeliveryDeps, "context" | "providers"> & Partial<DeliveryDeps>,
): Delivery {
  return createDelivery({
    nodeId: "node-1",
    sharing: null,
    random: () => 0.5,
    backfillFeed: async () => {},
    publishReport: () => {},
    onDeviceRetired: () => {},
    onAccepted: () => {},
    onServiceChanged: () => {},
    publishTrouble: () => {},
    findAct: async () => null,
    clockTrust: { isExpiryInDoubt: () => false, previousReadingAt: null },
    ...options,
  });
}

/** Adds a device to the account, and returns its id. */
export async function addDevice(
  { context, accountId }: DeliveryBench,
  endpoint: string,
): Promise<string> {
  const address = { provider: "webpush", endpoint, keys: { p256dh: "", auth: "" } } as const;
  const device = { accountId, name: endpoint, platform: "web", address } as const;
  return (await insertDevice(context, device))?.id ?? "";
}

function createNotification(
  { context, accountId }: DeliveryBench,
  deviceCount: number,
): NewNotification {
  return {
    id: context.newId(),
    audience: { kind: "account", accountId },
    keyId: null,
    ...EMPTY_CONTENT,
    title: "Hello",
    createdAt: context.now(),
    expiresAt: context.now() + DAY_MS,
    deviceCount,
    interaction: null,
  };
}

/** Returns a notification for devices, in the form that the store accepts. */
export function createAcceptRequest(bench: DeliveryBench, deviceIds: readonly string[]) {
  const notification = createNotification(bench, deviceIds.length);
  const work = { kind: "devices", pending: createPendingDevices(deviceIds, 0) } as const;
  return { notification, lane: 0, work, idempotency: null } as const;
}

/** Accepts a notification for devices and starts to send it. Returns its id. */
export async function acceptNotification(
  bench: DeliveryBench,
  deviceIds: readonly string[],
): Promise<string> {
  const request = createAcceptRequest(bench, deviceIds);
  await bench.delivery.accept({ request, extraRows: [], targets: null });
  return request.notification.id;
}

/**
 * Stores a job during which three processes died, optionally with the last one's mark. Returns its notification's id.
 */
export async function insertCrashedJob(
  bench: DeliveryBench,
  deviceIds: readonly string[],
  { work, suspect }: { readonly work?: Work; readonly suspect?: StepMark } = {},
): Promise<string> {
  const { context } = bench;
  const request = createAcceptRequest(bench, deviceIds);
  const store = createDeliveryStore(context, "node-0");
  await store.accept([{ ...request, work: work ?? request.work, takeLease: false }]);
  await context.database.db
    .updateTable("send_job")
    .set({ crashes: 3, suspected: suspect === undefined ? null : encodeMark(suspect) })
    .where("notification_id", "=", request.notification.id)
    .execute();
  return request.notification.id;
}

/** Returns the recorded states of a notification's deliveries. */
export async function readStates({ context }: DeliveryBench, notificationId: string) {
  const results = await findResults(context, { notificationId, limit: 100 });
  return results.map(({ state }) => state);
}

/** Makes a worker claim the due jobs, and waits until it is idle. */
export async function runWorkerOnce(
  worker: Pick<DeliveryWorker, "claimDue" | "waitUntilIdle">,
): Promise<void> {
  await worker.claimDue();
  await worker.waitUntilIdle();
}
