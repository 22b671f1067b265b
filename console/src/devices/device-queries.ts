import type { Delivery, Device, LeftDevice } from "@tocsin/sdk";
import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { client } from "../client.ts";
import { applyLastDelivery } from "./last-delivery.ts";
import { findThisDevice, type ThisDevice } from "./this-device.ts";

/** Page size. The server allows an account half as many devices. */
const DEVICES_MAX = 200;

/** Query for the account's devices. */
export const devicesQuery = queryOptions({
  queryKey: ["devices"],
  queryFn: async ({ signal }): Promise<readonly Device[]> =>
    (await client.devices.list({ limit: DEVICES_MAX }, { signal })).items,
});

/** Query for the devices that their push services recently unregistered. */
export const unregisteredDevicesQuery = queryOptions({
  queryKey: ["devices", "left"],
  queryFn: async ({ signal }): Promise<readonly LeftDevice[]> =>
    (await client.devices.left({ signal })).items,
});

/** Returns the query for this browser as a device of the account. It loads the account's devices first. */
export function createThisDeviceQuery(accountId: string) {
  return queryOptions({
    queryKey: ["this-device", accountId],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ client: queryClient }): Promise<ThisDevice> =>
      findThisDevice(accountId, await queryClient.ensureQueryData(devicesQuery)),
  });
}

/** Applies a device's new state to the cached devices; null removes it. */
export function applyDevice(
  queryClient: QueryClient,
  deviceId: string,
  device: Device | null,
): void {
  queryClient.setQueryData(devicesQuery.queryKey, (devices) => {
    if (devices === undefined) return undefined;
    const isListed = devices.some(({ id }) => id === deviceId);
    const updatedDevices = devices.flatMap((current) =>
      current.id === deviceId ? (device ?? []) : current,
    );
    return isListed || device === null ? updatedDevices : [device, ...devices];
  });
  if (device !== null) return;
  // The removed device may be this browser, and its push service may have unregistered it.
  void queryClient.invalidateQueries({ queryKey: ["this-device"] });
  void queryClient.invalidateQueries({ queryKey: unregisteredDevicesQuery.queryKey });
}

/** Applies a delivery from the live stream to its device. A delivery to another account's device changes nothing. */
export function applyDelivery(queryClient: QueryClient, delivery: Delivery): void {
  queryClient.setQueryData(devicesQuery.queryKey, (devices) =>
    devices === undefined ? undefined : applyLastDelivery(devices, delivery),
  );
}
