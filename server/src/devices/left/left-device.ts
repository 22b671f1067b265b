import type { ProviderName } from "#providers/provider.ts";
import type { Platform } from "../device.ts";

/** A device that its push service gave up; moments in milliseconds since the epoch. */
export interface LeftDevice {
  readonly id: string;
  readonly name: string;
  readonly platform: Platform;
  readonly provider: ProviderName;
  /** Why, as the delivery log has it: a code such as `device_gone`. */
  readonly code: string;
  readonly leftAt: number;
}

/** A device that left is shown for this long. */
export const LEFT_SHOWN_MS = 90 * 24 * 60 * 60_000;

/** The reason of a device that its owner removed, which is no news to anybody. */
export const REMOVED = "removed";
