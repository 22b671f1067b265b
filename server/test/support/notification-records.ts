import type { Client, Delivery, NotificationDetail, NotificationRecord } from "@tocsin/sdk";
import { eventually } from "./eventually.ts";

/** Long enough for a bulk send on a busy machine. */
const TIMEOUT_MS = 60_000;

/**
 * Resolves with a notification's record once `isReached` accepts it: results are recorded shortly after
 * the push service has responded. Rejects like `eventually`, with the last record.
 */
export async function waitForRecord(
  client: Client,
  id: string,
  isReached: (record: NotificationRecord) => boolean,
): Promise<NotificationDetail> {
  return eventually(() => client.notifications.get(id), isReached, { limitMs: TIMEOUT_MS });
}

/** Returns whether every delivery has ended. */
export function areDeliveriesFinished({ counts }: NotificationRecord): boolean {
  return counts.queued + counts.retrying + counts.held === 0;
}

/** Returns the states of the deliveries in order. */
export function listDeliveryStates({
  deliveries,
}: NotificationRecord): readonly Delivery["state"][] {
  return deliveries.map(({ state }) => state);
}

/** Returns the notification id of a response. Throws if there is none. */
export function getNotificationId({
  notificationId,
}: {
  readonly notificationId: string | null;
}): string {
  if (notificationId === null) throw new Error("The response has no notification id.");
  return notificationId;
}
