import { isKept, type NewNotification, type PendingDevice } from "../delivery.ts";
import type { ActLookup } from "../deps.ts";

/**
 * Returns whether an act, such as an acknowledgement, ends the waits of devices for a message that they have not fetched.
 * Reads nothing if no device waits, or if the notification asks for no act.
 */
export async function isActedOn(
  { findAct }: ActLookup,
  notification: NewNotification,
  pending: readonly PendingDevice[],
): Promise<boolean> {
  if (notification.interaction === null || !pending.some(isKept)) return false;
  return (await findAct(notification)) !== null;
}
