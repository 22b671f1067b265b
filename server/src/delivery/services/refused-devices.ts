import { RecentMap } from "#concurrency/recent-map.ts";
import type { Reason } from "#providers/provider.ts";
import type { Hold } from "./hold.ts";

/** Wait of a device after its first refusal. */
const FIRST_WAIT_MS = 5 * 60_000;
/** Longest wait of a device after a refusal. */
const WAIT_MAX_MS = 60 * 60_000;
/** Maximum number of refused devices that are remembered. */
const DEVICES_MAX = 10_000;
/** Smallest correction of the clock after which a refused token may be accepted. Services tolerate smaller errors. */
const CORRECTION_MIN_MS = 60_000;

interface RefusedDevice {
  readonly hold: Hold;
  readonly waitMs: number;
  readonly clockOffset: number;
}

/**
 * Returns whether the wall clock was corrected by a minute or more since a refusal. Wrong times in our token may have
 * been the reason. An offset is the wall clock minus the monotonic clock.
 */
export function isClockCorrected(offset: number, currentOffset: number): boolean {
  return Math.abs(currentOffset - offset) >= CORRECTION_MIN_MS;
}

/**
 * Devices that a service refused for a reason that may concern only the device, or our settings. Each device waits by
 * itself with all its messages. A wrong setting then costs an occasional request per device, and one account's device
 * cannot stop others. Times are on the monotonic clock.
 */
export class RefusedDevices {
  readonly #devices = new RecentMap<string, RefusedDevice>(DEVICES_MAX);
  readonly #getClockOffset: () => number;

  /** `getClockOffset` returns the wall clock minus the monotonic clock. */
  constructor(getClockOffset: () => number) {
    this.#getClockOffset = getClockOffset;
  }

  /** Holds a device from now on: for five minutes at first, then twice as long each time, up to an hour. */
  add(deviceId: string, reason: Reason, now: number): void {
    const previous = this.#devices.get(deviceId);
    const waitMs =
      previous === undefined ? FIRST_WAIT_MS : Math.min(previous.waitMs * 2, WAIT_MAX_MS);
    const until = now + waitMs;
    const hold: Hold = { cause: "credentials", reason, since: now, until, isForDevice: true };
    this.#devices.set(deviceId, { hold, waitMs, clockOffset: this.#getClockOffset() });
  }

  /** Forgets a device that was accepted. */
  delete(deviceId: string): void {
    this.#devices.delete(deviceId);
  }

  /** Returns why a device waits now; null if it does not wait. */
  findHold(deviceId: string, now: number): Hold | null {
    const refused = this.#devices.get(deviceId);
    if (refused === undefined || now >= refused.hold.until) return null;
    return isClockCorrected(refused.clockOffset, this.#getClockOffset()) ? null : refused.hold;
  }
}
