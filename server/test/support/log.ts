import type { Client, Delivery, NotificationDetail, NotificationRecord } from "@tocsin/sdk";
import { eventually } from "./eventually.ts";

/** Enough for a bulk send on a busy machine. */
const LIMIT_MS = 60_000;

/**
 * Resolves with a notification's record once `isReached` holds for it: results are recorded shortly after
 * the push service answered. Rejects as `eventually` does, showing the last record.
 */
export async function recordOnce(
  client: Client,
  id: string,
  isReached: (record: NotificationRecord) => boolean,
): Promise<NotificationDetail> {
  return eventually(() => client.notifications.get(id), isReached, { limitMs: LIMIT_MS });
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
