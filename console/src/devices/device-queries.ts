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

/** Adds a device to the cached devices, or replaces its cached state. */
export function applyDevice(queryClient: QueryClient, device: Device): void {
  queryClient.setQueryData(devicesQuery.queryKey, (devices) => {
    if (devices === undefined) return undefined;
    const isListed = devices.some(({ id }) => id === device.id);
    if (!isListed) return [device, ...devices];
    return devices.map((current) => (current.id === device.id ? device : current));
  });
}

/** Removes a device from the cached devices. */
export function removeCachedDevice(queryClient: QueryClient, deviceId: string): void {
  queryClient.setQueryData(devicesQuery.queryKey, (devices) =>
    devices?.filter(({ id }) => id !== deviceId),
  );
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
