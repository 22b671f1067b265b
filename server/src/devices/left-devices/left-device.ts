import type { ProviderName } from "#providers/provider.ts";
import type { Platform } from "../device.ts";

/** A device that its push service reported gone. Times are milliseconds since the epoch. */
export interface LeftDevice {
  readonly id: string;
  readonly name: string;
  readonly platform: Platform;
  readonly provider: ProviderName;
  /** The reason in the delivery log, a code such as `device_gone`. */
  readonly code: string;
  readonly leftAt: number;
}

/** The time for which a device is listed after it left. */
export const LEFT_DEVICE_LISTED_MS = 90 * 24 * 60 * 60_000;

/** The reason if the owner removed the device, or if its account was deleted or reclaimed. Such a device is not listed. */
export const REMOVED_BY_OWNER = "removed";
