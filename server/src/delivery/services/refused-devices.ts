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
 * Devices that a service refused with a reason that may concern them alone, or our settings. Each waits by itself, over
 * all its messages: a wrong setting costs one request per device now and then, and a stranger's device stops no other.
 * Moments are by the monotonic clock.
 */
export class RefusedDevices {
  readonly #devices = new RecentMap<string, Refused>(DEVICES_MAX);

  /** Holds a device from now on, twice as long as the last time. */
  add(deviceId: string, reason: Reason, now: number): void {
    const before = this.#devices.get(deviceId);
    const waitMs = before === undefined ? FIRST_WAIT_MS : Math.min(before.waitMs * 2, WAIT_MAX_MS);
    const until = now + waitMs;
    const hold: Hold = { cause: "credentials", reason, since: now, until, isForDevice: true };
    this.#devices.set(deviceId, { hold, waitMs });
  }

  /** Forgets a device that was accepted. */
  delete(deviceId: string): void {
    this.#devices.delete(deviceId);
  }

  /** Returns why a device waits now; null if it does not. */
  holdOf(deviceId: string, now: number): Hold | null {
    const hold = this.#devices.get(deviceId)?.hold;
    return hold === undefined || now >= hold.until ? null : hold;
  }
}
