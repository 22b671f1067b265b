import { formatTimestamp } from "#schema/timestamp.ts";
import type { Device as DeviceResponse } from "@tocsin/sdk";
import { getEndpointHost } from "./address.ts";
import type { Device } from "./device.ts";

/** Returns a device as the app API shows it, without its push address. */
export function toDeviceResponse(device: Device): DeviceResponse {
  const { id, name, platform, address, lastState, lastStateAt } = device;
  return {
    id,
    name,
    platform,
    provider: address.provider,
    paused: device.pausedAt !== null,
    createdAt: formatTimestamp(device.createdAt),
    registeredAt: formatTimestamp(device.registeredAt),
    lastDelivery:
      lastState === null || lastStateAt === null
        ? null
        : { state: lastState, at: formatTimestamp(lastStateAt) },
    endpointHost: getEndpointHost(address),
  };
}
