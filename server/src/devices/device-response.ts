import { formatTimestamp } from "#schema/timestamp.ts";
import type { Device as DeviceResponse } from "@tocsin/sdk";
import type { DatabaseContext } from "#context.ts";
import { getEndpointHost } from "./address.ts";
import { findAppsOfDevices, type AppOfDevice } from "./apps/store.ts";
import type { Device } from "./device.ts";

/** Returns up to 500 devices as the app API shows them, with their connected apps. */
export async function loadDeviceResponses(
  context: DatabaseContext,
  devices: readonly Device[],
): Promise<DeviceResponse[]> {
  const ids = devices.filter(({ address }) => address.provider === "stream").map(({ id }) => id);
  const apps = await findAppsOfDevices(context, ids);
  return devices.map((device) => toDeviceResponse(device, apps.get(device.id) ?? null));
}

/** Returns a device as the app API shows it; see `loadDeviceResponses`. */
export async function loadDeviceResponse(
  context: DatabaseContext,
  device: Device,
): Promise<DeviceResponse> {
  const [response] = await loadDeviceResponses(context, [device]);
  if (response === undefined) throw new Error("The response of the device is missing.");
  return response;
}

/** Returns a device without its push address. */
function toDeviceResponse(device: Device, app: AppOfDevice | null): DeviceResponse {
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
    ...(app === null ? {} : { app: toAppResponse(app) }),
  };
}

function toAppResponse({ client, topic, isConnected, lastConnectedAt }: AppOfDevice) {
  return {
    client,
    connected: isConnected,
    lastConnectedAt: lastConnectedAt === null ? null : formatTimestamp(lastConnectedAt),
    topic,
  };
}
