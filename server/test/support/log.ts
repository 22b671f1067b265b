import type { Client, Delivery, NotificationDetail, NotificationRecord } from "@tocsin/sdk";

const TRIES_MAX = 400;
const EVERY_MS = 25;

/**
 * Resolves with a notification's record once `isReached` holds for it: results are recorded shortly after
 * the push service answered. Rejects after ten seconds, showing the last record.
 */
export async function recordOnce(
  client: Client,
  id: string,
  isReached: (record: NotificationRecord) => boolean,
): Promise<NotificationDetail> {
  let last: NotificationDetail | null = null;
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    last = await client.notifications.get(id);
    if (isReached(last)) return last;
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
  throw new Error(`The notification does not get there: ${JSON.stringify(last, null, 2)}`);
}

/** Returns whether every delivery has ended. */
export function isOver({ counts }: NotificationRecord): boolean {
  return counts.queued + counts.retrying + counts.held === 0;
}

/** Returns the states of the deliveries in their order. */
export function statesOf({ deliveries }: NotificationRecord): readonly Delivery["state"][] {
  return deliveries.map(({ state }) => state);
}

/** Returns the id that an answer names; throws where it names none. */
export function idOf({ notificationId }: { readonly notificationId: string | null }): string {
  if (notificationId === null) throw new Error("The answer names no notification.");
  return notificationId;
}
