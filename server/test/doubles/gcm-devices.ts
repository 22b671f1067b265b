import { randomBytes } from "node:crypto";
import type { McsConnection } from "./mcs-connection.ts";
import { PendingMessages } from "./pending-messages.ts";
import type { PushSubscription } from "./push-subscription.ts";

/** The service's state of a Chromium profile. */
export interface GcmDevice {
  /** Decimal. */
  readonly androidId: string;
  /** Decimal. */
  readonly securityToken: string;
  /** Subscriptions by the browser's name for the worker. */
  readonly subscriptions: Map<string, PushSubscription>;
  readonly pending: PendingMessages<Buffer>;
  /** Null while the browser is disconnected. */
  connection: McsConnection | null;
}

/** The browsers that have checked in, with their secrets. */
export class GcmDevices {
  readonly #devices = new Map<string, GcmDevice>();

  /** Returns the device with these credentials, or a new one if they are unknown. */
  checkIn(androidId: string, securityToken: string): GcmDevice {
    return this.find(androidId, securityToken) ?? this.#add();
  }

  /** Returns the device with these credentials, or null. */
  find(androidId: string, securityToken: string): GcmDevice | null {
    const device = this.#devices.get(androidId);
    return device?.securityToken === securityToken ? device : null;
  }

  listDevices(): readonly GcmDevice[] {
    return [...this.#devices.values()];
  }

  #add(): GcmDevice {
    const device: GcmDevice = {
      androidId: generateId(),
      securityToken: generateId(),
      subscriptions: new Map(),
      pending: new PendingMessages(),
      connection: null,
    };
    this.#devices.set(device.androidId, device);
    return device;
  }
}

/** Generates an id that is positive as a signed 64-bit integer, as parts of the protocol read it. */
function generateId(): string {
  return String(randomBytes(8).readBigUInt64LE() >> 1n);
}
