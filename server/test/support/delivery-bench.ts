import type { TestContext } from "node:test";
import { EMPTY_CONTENT } from "@tocsin/sdk";
import { createDelivery, type Delivery, type DeliveryOptions } from "#delivery/create-delivery.ts";
import { untried, type Mark, type NewNotification, type Work } from "#delivery/delivery.ts";
import { createDeliveryStore } from "#delivery/store/create-store.ts";
import { markText } from "#delivery/store/rows.ts";
import type { DeliveryWorker } from "#delivery/worker/worker.ts";
import { findResults } from "#notifications/log/store.ts";
import { insertAccount, insertDevice, testContext } from "./room.ts";
import { ScriptedProvider } from "./scripted-provider.ts";

type Context = Awaited<ReturnType<typeof testContext>>;

/** A delivery room on a real database, with a scripted provider. */
export interface Bench {
  readonly context: Context;
  readonly accountId: string;
  readonly provider: ScriptedProvider;
  readonly delivery: Delivery;
}

/** Starts a delivery room whose worker the test runs step by step. It stops with the test. */
export async function startBench(
  t: TestContext,
  options: Partial<Pick<DeliveryOptions, "fileLate" | "publish" | "onServiceChanged">> = {},
): Promise<Bench> {
  const context = await testContext(t);
  const accountId = await insertAccount(context);
  const provider = new ScriptedProvider();
  const delivery = createNode({ context, providers: [provider], ...options });
  t.after(() => delivery.worker.stop(0));
  return { context, accountId, provider, delivery };
}

/** Returns a delivery room whose callbacks do nothing, except those in `options`. */
export function createNode(
  options: Pick<DeliveryOptions, "context" | "providers"> & Partial<DeliveryOptions>,
): Delivery {
  return createDelivery({
    nodeId: "node-1",
    peers: null,
    random: () => 0.5,
    fileLate: async () => {},
    publish: () => {},
    onDeviceChanged: () => {},
    onAccepted: () => {},
    onServiceChanged: () => {},
    publishTrouble: () => {},
    proven: { isInDoubt: () => false, shownBefore: null },
    ...options,
  });
}

/** Adds a device to the account, and returns its id. */
export async function addDevice({ context, accountId }: Bench, endpoint: string): Promise<string> {
  const address = { provider: "webpush", endpoint, keys: { p256dh: "", auth: "" } } as const;
  const device = { accountId, name: endpoint, platform: "web", address } as const;
  return (await insertDevice(context, device))?.id ?? "";
}

function notificationFor({ context, accountId }: Bench, deviceCount: number): NewNotification {
  return {
    id: context.newId(),
    audience: { kind: "account", accountId },
    keyId: null,
    ...EMPTY_CONTENT,
    title: "Hello",
    createdAt: context.now(),
    expiresAt: context.now() + 86_400_000,
    deviceCount,
  };
}

/** Returns a notification for devices, in the form that the store accepts. */
export function requestFor(bench: Bench, deviceIds: readonly string[]) {
  const notification = notificationFor(bench, deviceIds.length);
  const work = { kind: "devices", pending: untried(deviceIds, 0) } as const;
  return { notification, lane: 0, work, idempotency: null } as const;
}

/** Accepts a notification for devices and starts to send it. Returns its id. */
export async function accept(bench: Bench, deviceIds: readonly string[]): Promise<string> {
  const request = requestFor(bench, deviceIds);
  await bench.delivery.accept({ request, alongside: [], targets: null });
  return request.notification.id;
}

/** Stores a job that crashed three processes, with an optional mark of the last one. Returns its notification's id. */
export async function abandon(
  bench: Bench,
  deviceIds: readonly string[],
  { work, suspect }: { readonly work?: Work; readonly suspect?: Mark } = {},
): Promise<string> {
  const { context } = bench;
  const request = requestFor(bench, deviceIds);
  const store = createDeliveryStore(context, "node-0");
  await store.accept([{ ...request, work: work ?? request.work, takeLease: false }]);
  await context.database.db
    .updateTable("send_job")
    .set({ crashes: 3, suspected: suspect === undefined ? null : markText(suspect) })
    .where("notification_id", "=", request.notification.id)
    .execute();
  return request.notification.id;
}

/** Returns the recorded states of a notification's deliveries. */
export async function statesOf({ context }: Bench, notificationId: string) {
  const results = await findResults(context, { notificationId, limit: 100 });
  return results.map(({ state }) => state);
}

/** Makes a worker claim the due jobs, and waits until it is idle. */
export async function workOnce(worker: Pick<DeliveryWorker, "takeDue" | "idle">): Promise<void> {
  await worker.takeDue();
  await worker.idle();
}
