import type { Context } from "#context.ts";
import type { PendingDevice } from "../delivery.ts";

/** Largest difference between the ends of a wait on the two clocks that counts as an ordinary correction. */
const DRIFT_MAX_MS = 1_000;

interface TimedDevice {
  readonly device: PendingDevice;
  /** The wall clock minus the monotonic clock when the device was added. */
  readonly offsetMs: number;
}

/**
 * The pending devices of a running job. Until they are stored, their waits are also timed by the monotonic clock, and
 * end by whichever clock comes first.
 */
export class PendingDevices {
  readonly #clocks: Pick<Context, "now" | "elapsed">;
  readonly #entries = new Map<string, TimedDevice>();

  constructor(clocks: Pick<Context, "now" | "elapsed">, devices: readonly PendingDevice[]) {
    this.#clocks = clocks;
    for (const device of devices) this.set(device);
  }

  get size(): number {
    return this.#entries.size;
  }

  set(device: PendingDevice): void {
    this.#entries.set(device.deviceId, { device, offsetMs: this.#offsetMs });
  }

  delete(deviceId: string): void {
    this.#entries.delete(deviceId);
  }

  get(deviceId: string): PendingDevice | null {
    return this.#entries.get(deviceId)?.device ?? null;
  }

  /**
   * Returns a function that returns the devices as they are now, with retry times corrected for the wall clock at each
   * call.
   */
  snapshot(): () => readonly PendingDevice[] {
    const entries = [...this.#entries.values()];
    return () => {
      const offsetMs = this.#offsetMs;
      return entries.map((entry) => correctRunAt(entry, offsetMs));
    };
  }

  get #offsetMs(): number {
    const { now, elapsed } = this.#clocks;
    return now() - elapsed();
  }
}

function correctRunAt({ device, offsetMs }: TimedDevice, currentOffsetMs: number): PendingDevice {
  const rollbackMs = offsetMs - currentOffsetMs;
  if (rollbackMs <= DRIFT_MAX_MS) return device;
  return { ...device, runAt: Math.ceil(device.runAt - rollbackMs) };
}
