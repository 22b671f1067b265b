import { RecentMap } from "#concurrency/recent-map.ts";
import type { Reason } from "#providers/provider.ts";
import type { Hold } from "./hold.ts";

const FIRST_WAIT_MS = 5 * 60_000;
const WAIT_MAX_MS = 60 * 60_000;
const DEVICES_MAX = 10_000;

interface Refused {
  readonly hold: Hold;
  readonly waitMs: number;
}

/**
 * Devices that a service refused for a reason that may concern only the device, or our settings. Each device waits by itself with
 * all its messages. A wrong setting then costs an occasional request per device, and one account's device cannot stop others.
 * Times are on the monotonic clock.
 */
export class RefusedDevices {
  readonly #devices = new RecentMap<string, Refused>(DEVICES_MAX);

  /** Holds a device from now on, for twice as long as last time. */
  add(deviceId: string, reason: Reason, now: number): void {
    const previous = this.#devices.get(deviceId);
    const waitMs =
      previous === undefined ? FIRST_WAIT_MS : Math.min(previous.waitMs * 2, WAIT_MAX_MS);
    const until = now + waitMs;
    const hold: Hold = { cause: "credentials", reason, since: now, until, isForDevice: true };
    this.#devices.set(deviceId, { hold, waitMs });
  }

  /** Forgets a device that was accepted. */
  delete(deviceId: string): void {
    this.#devices.delete(deviceId);
  }

  /** Returns why a device waits now; null if it does not wait. */
  holdOf(deviceId: string, now: number): Hold | null {
    const hold = this.#devices.get(deviceId)?.hold;
    return hold === undefined || now >= hold.until ? null : hold;
  }
}
