import { EMPTY_CONTENT } from "@tocsin/sdk";
import { pino } from "pino";
import { createContext } from "#context.ts";
import { openSqlite } from "#database/database.ts";
import { createDeviceWork, type LeasedJob, type NewNotification } from "#delivery/delivery.ts";
import { createDeliveryStore } from "#delivery/store/create-store.ts";
import type { AcceptRequest, Settlement } from "#delivery/store/delivery-store.ts";
import { createIds } from "#ids.ts";
import { createFeedEntryRow } from "#notifications/feed/store.ts";
import { NO_SEAL } from "#secrets/row-seal.ts";
import { createNotification } from "../../test/support/notifications.ts";
import { createRoundRobin } from "./round-robin.ts";
import { SAMPLE } from "./sample.ts";

/** The period in which the notifications were sent; shorter than their retention. */
const PERIOD_MS = 10 * 24 * 60 * 60 * 1_000;
/** Notifications per commit. One commit for each notification would take an hour. */
const BATCH_SIZE = 1_000;
/** The lane of notifications whose caller does not wait for results. */
const UNAWAITED_LANE = 1;
const BUSY_TIMEOUT_MS = 10_000;
/** The time between a notification and the response of its push service. */
const RESPONSE_MS = 200;
const elapsed = () => performance.now();

/** The number of notifications, and the accounts that sent them in turn. */
export interface FillOptions {
  readonly accountIds: readonly string[];
  readonly count: number;
}

/**
 * Stores notifications of the last ten days with the accepted result of one iPhone each. It writes them with the
 * server's own queue, so that all tables have the rows that a send would leave.
 */
export async function fillWithNotifications(
  path: string,
  { accountIds, count }: FillOptions,
): Promise<void> {
  const database = openSqlite(path, BUSY_TIMEOUT_MS);
  const log = pino({ level: "silent" });
  const context = createContext({ database, now: Date.now, elapsed, log, seal: NO_SEAL });
  const store = createDeliveryStore(context, "a filled database");
  const nextRequest = createPastRequestSource({ accountIds, count });
  for (let stored = 0; stored < count; stored += BATCH_SIZE) {
    const requests = Array.from({ length: Math.min(BATCH_SIZE, count - stored) }, nextRequest);
    const results = await store.accept(requests);
    const jobs = results.map((result) => (result.kind === "accepted" ? result.job : null));
    await store.settle(jobs.map((job) => createAcceptedSettlement(job, context.newId())));
  }
  await database.close();
}

/** Returns a function that returns the next request, from the oldest to the newest. */
function createPastRequestSource({ accountIds, count }: FillOptions): () => AcceptRequest {
  let time = Date.now() - PERIOD_MS;
  const now = () => Math.floor(time);
  const newId = createIds(now);
  const nextAccount = createRoundRobin(
    accountIds.map((accountId) => ({ accountId, keyId: newId(), deviceId: newId() })),
  );
  return () => {
    time += PERIOD_MS / count;
    const { accountId, keyId, deviceId } = nextAccount();
    const content = { ...EMPTY_CONTENT, ...SAMPLE, keyId, deviceCount: 1 };
    const notification = createNotification({ newId, now }, accountId, content);
    return toRequest(notification, deviceId);
  };
}

function toRequest(notification: NewNotification, deviceId: string): AcceptRequest {
  return {
    notification,
    lane: UNAWAITED_LANE,
    work: createDeviceWork([deviceId]),
    idempotency: null,
    // The server must not run the job before its result is stored.
    takeLease: true,
    extraRows: [createFeedEntryRow(notification)],
  };
}

/** Returns the settlement of a job whose only device accepted the notification a moment after it was sent. */
function createAcceptedSettlement(job: LeasedJob | null, id: string): Settlement {
  const [device] = job?.work.kind === "devices" ? job.work.pending : [];
  if (job === null || device === undefined) throw new Error("A notification was not accepted.");
  const { lease, notification } = job;
  const outcome = { state: "accepted", code: "accepted", detail: null, attempts: 1 } as const;
  const at = notification.createdAt + RESPONSE_MS;
  const result = { deviceId: device.deviceId, provider: "apns", ...outcome, at } as const;
  const next = { kind: "done" } as const;
  const { id: notificationId } = notification;
  return { id, lease, notificationId, results: [result], deviceStateUpdate: null, next };
}
