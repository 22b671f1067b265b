import { sendRead } from "./acts.ts";
import { readRecord } from "./worker-records.ts";

/** The ids of the notifications that this worker has closed. */
const closedIds = new Set<string>();

/** Closes a notification without counting it as dismissed: Firefox also reports the ones that a program closes. */
export function closeWithoutDismissal(notification: Pick<Notification, "close" | "data">): void {
  const id = parseId(notification);
  if (id !== null) closedIds.add(id);
  notification.close();
}

/**
 * Marks a dismissed notification as read, if dismissals count in this browser. `isReplaced` says whether another
 * notification has its tag now: Firefox also reports a replaced one as closed.
 */
export async function markDismissedAsRead(
  notification: Pick<Notification, "data">,
  isReplaced: boolean,
): Promise<void> {
  const id = parseId(notification);
  if (id === null || closedIds.delete(id) || isReplaced) return;
  if (await countsDismissals()) await sendRead(id);
}

/** Returns whether a dismissed notification counts as read in this browser: as chosen, or by the browser's default. */
export async function countsDismissals(): Promise<boolean> {
  const choice = await readRecord("countsDismissals").catch(() => null);
  return choice ?? !reportsExpiry(navigator.userAgent);
}

/**
 * Returns whether the browser also reports a notification as closed when it disappears by itself, possibly unseen. In
 * Firefox 153, it disappears after 20 seconds.
 */
export function reportsExpiry(userAgent: string): boolean {
  return /Firefox\//.test(userAgent);
}

/** Returns the id of a notification; null for one without an id, and for the report of a failed act. */
function parseId({ data }: Pick<Notification, "data">): string | null {
  const value: unknown = data;
  if (typeof value !== "object" || value === null || !("id" in value) || "retry" in value) {
    return null;
  }
  return typeof value.id === "string" && value.id !== "" ? value.id : null;
}
