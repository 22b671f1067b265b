import { randomBytes } from "node:crypto";
import type { McsConnection } from "./mcs-connection.ts";
import { PendingMessages } from "./pending-messages.ts";
import type { PushSubscription } from "./push-subscription.ts";

/** One Chromium profile as the service knows it. */
export interface GcmDevice {
  /** Decimal. */
  readonly androidId: string;
  /** Decimal. */
  readonly securityToken: string;
  /** By the browser's name for the subscribed worker. */
  readonly subscriptions: Map<string, PushSubscription>;
  readonly pending: PendingMessages<Buffer>;
  /** Null while the browser is away. */
  connection: McsConnection | null;
}

/** The browsers that have checked in, each with the secret it proves itself by. */
export class GcmDevices {
  readonly #devices = new Map<string, GcmDevice>();

  /** Returns the device that checks in, a new one where the credentials are none of ours. */
  checkIn(androidId: string, securityToken: string): GcmDevice {
    return this.find(androidId, securityToken) ?? this.#add();
  }

  /** Returns the device with these credentials, or null. */
  find(androidId: string, securityToken: string): GcmDevice | null {
    const device = this.#devices.get(androidId);
    return device?.securityToken === securityToken ? device : null;
  }

  all(): readonly GcmDevice[] {
    return [...this.#devices.values()];
  }

  #add(): GcmDevice {
    const device: GcmDevice = {
      androidId: randomId(),
      securityToken: randomId(),
      subscriptions: new Map(),
      pending: new PendingMessages(),
      connection: null,
    };
    this.#devices.set(device.androidId, device);
    return device;
  }
}

/** Positive as a signed 64-bit integer, which is how some of the protocol reads it. */
function randomId(): string {
  return String(randomBytes(8).readBigUInt64LE() >> 1n);
}
