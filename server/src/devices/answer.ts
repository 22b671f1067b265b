import { timestamp } from "#schema/moment.ts";
import type { Device as DeviceAnswer } from "@tocsin/sdk";
import { endpointHostOf } from "./address.ts";
import type { Device } from "./device.ts";

/** Returns a device as the app API shows it, without its push address. */
export function deviceAnswer(device: Device): DeviceAnswer {
  const { id, name, platform, address, lastState, lastStateAt } = device;
  return {
    id,
    name,
    platform,
    provider: address.provider,
    paused: device.pausedAt !== null,
    createdAt: timestamp(device.createdAt),
    registeredAt: timestamp(device.registeredAt),
    lastDelivery:
      lastState === null || lastStateAt === null
        ? null
        : { state: lastState, at: timestamp(lastStateAt) },
    endpointHost: endpointHostOf(address),
  };
}
