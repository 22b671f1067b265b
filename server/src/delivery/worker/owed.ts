import type { Context } from "#context.ts";
import type { PendingDevice } from "../delivery.ts";

/** Largest difference between the two clocks' views of a wait that a correction on the way explains. */
const APART_MAX_MS = 1_000;

interface TimedDevice {
  readonly device: PendingDevice;
  /** When it was noted, by the wall clock less the monotonic one. */
  readonly apartMs: number;
}

/**
 * The devices that a running job still owes. As long as they are only here, their waits are timed by the monotonic clock as
 * well, and end by whichever clock comes first.
 */
export class Owed {
  readonly #clocks: Pick<Context, "now" | "elapsed">;
  readonly #noted = new Map<string, TimedDevice>();

  constructor(clocks: Pick<Context, "now" | "elapsed">, devices: readonly PendingDevice[]) {
    this.#clocks = clocks;
    for (const device of devices) this.set(device);
  }

  get size(): number {
    return this.#noted.size;
  }

  set(device: PendingDevice): void {
    this.#noted.set(device.deviceId, { device, apartMs: this.#apartMs });
  }

  delete(deviceId: string): void {
    this.#noted.delete(deviceId);
  }

  get(deviceId: string): PendingDevice | null {
    return this.#noted.get(deviceId)?.device ?? null;
  }

  /** Returns a function that returns the devices of this moment, with their waits by the wall clock as it goes at each call. */
  snapshot(): () => readonly PendingDevice[] {
    const noted = [...this.#noted.values()];
    return () => {
      const apartMs = this.#apartMs;
      return noted.map((one) => timed(one, apartMs));
    };
  }

  get #apartMs(): number {
    const { now, elapsed } = this.#clocks;
    return now() - elapsed();
  }
}

function timed({ device, apartMs }: TimedDevice, apartNowMs: number): PendingDevice {
  const soonerMs = apartMs - apartNowMs;
  if (soonerMs <= APART_MAX_MS) return device;
  return { ...device, runAt: Math.ceil(device.runAt - soonerMs) };
}
