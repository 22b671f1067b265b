import { CHUNK_MAX } from "#delivery/delivery.ts";
import type { Target } from "#devices/device.ts";

/** A notification with its devices. */
interface Pushed {
  /** Null if there are too many to list. */
  readonly targets: readonly Target[] | null;
}

/** Returns the number of devices that notifications push to. Too many to list count as one more than the maximum. */
export function countPushedDevices(notifications: readonly Pushed[]): number {
  return notifications.reduce((sum, { targets }) => sum + (targets?.length ?? CHUNK_MAX + 1), 0);
}
