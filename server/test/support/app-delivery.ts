import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { SignedInApp } from "#apps/app.ts";
import type { DeliveryDeps } from "#delivery/create-delivery.ts";
import { createPendingDevices, type NewNotification } from "#delivery/delivery.ts";
import { decodePending } from "#delivery/store/tuples.ts";
import { findResults } from "#notifications/log/store.ts";
import type { Outcome, Provider } from "#providers/provider.ts";
import type { AppFixture } from "./app-fixture.ts";
import { createDeliveryNode } from "./delivery-bench.ts";
import { eventually } from "./eventually.ts";
import { createNotification } from "./notifications.ts";

/** Returns a delivery module for the apps of a fixture, and the outcomes of its attempts. */
export function startDelivery(
  t: TestContext,
  { context, apps }: AppFixture,
  {
    nodeId = "node-1",
    afterSend = async () => {},
    findAct = async () => null,
  }: {
    nodeId?: string;
    afterSend?: () => Promise<void>;
    findAct?: DeliveryDeps["findAct"];
  } = {},
) {
  const outcomes: Outcome[] = [];
  const provider: Provider = {
    ...apps.provider,
    async send(message, address, signal) {
      const outcome = await apps.provider.send(message, address, signal);
      outcomes.push(outcome);
      await afterSend();
      return outcome;
    },
  };
  const delivery = createDeliveryNode({ context, providers: [provider], nodeId, findAct });
  apps.jobsDue.add(delivery.announceDueJobs);
  t.after(() => delivery.worker.stop(0));
  return { delivery, outcomes };
}

/** A delivery module of a fixture. */
export type Delivering = ReturnType<typeof startDelivery>;

/** Sends a notification to apps of one account. */
export async function deliverTo(
  { delivery }: Delivering,
  { context }: AppFixture,
  apps: readonly SignedInApp[],
  overrides: Partial<NewNotification> = {},
): Promise<NewNotification> {
  const accountId = apps[0]?.accountId ?? "";
  const notification = createNotification(context, accountId, {
    deviceCount: apps.length,
    ...overrides,
  });
  const pending = createPendingDevices(
    apps.map(({ deviceId }) => deviceId),
    0,
  );
  const work = { kind: "devices", pending } as const;
  const request = { notification, lane: 0, work, idempotency: null } as const;
  await delivery.accept({ request, extraRows: [], targets: null });
  return notification;
}

/** Returns the job of a notification; null once it has ended. */
export async function findJob({ context }: AppFixture, { id }: NewNotification) {
  const row = await context.database.db
    .selectFrom("send_job")
    .select(["run_at", "owner", "pending"])
    .where("notification_id", "=", id)
    .executeTakeFirst();
  if (row === undefined) return null;
  return { runAt: row.run_at, owner: row.owner, pending: decodePending(row.pending ?? "[]") };
}

/** Resolves with the results of a notification once its job has ended. */
export async function awaitResults(fixture: AppFixture, notification: NewNotification) {
  await eventually(
    () => findJob(fixture, notification),
    (job) => job === null,
  );
  return findResults(fixture.context, { notificationId: notification.id, limit: 10 });
}

/** Resolves with the job of a notification once the job waits for an app. */
export async function awaitWait(fixture: AppFixture, notification: NewNotification) {
  const job = await eventually(
    () => findJob(fixture, notification),
    (found) => found?.owner === "" && found.pending.some(({ waitsFor }) => waitsFor !== null),
  );
  assert.ok(job !== null && job !== undefined);
  return job;
}
