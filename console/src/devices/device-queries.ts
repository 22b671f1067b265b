import type { Delivery, Device, LeftDevice } from "@tocsin/sdk";
import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { client } from "../client.ts";
import { withDelivery } from "./last-delivery.ts";
import { findThisDevice, type ThisDevice } from "./this-device.ts";

/** Length of the list: the server allows an account half as many devices. */
const DEVICES_LIMIT = 200;

/** Query for the account's devices. */
export const devicesQuery = queryOptions({
  queryKey: ["devices"],
  queryFn: async ({ signal }): Promise<readonly Device[]> =>
    (await client.devices.list({ limit: DEVICES_LIMIT }, { signal })).items,
});

/** Query for the devices that their push services gave up recently. */
export const leftDevicesQuery = queryOptions({
  queryKey: ["devices", "left"],
  queryFn: async ({ signal }): Promise<readonly LeftDevice[]> =>
    (await client.devices.left({ signal })).items,
});

/** Returns the query for this browser's place among the account's devices, once those are known. */
export function thisDeviceQuery(accountId: string) {
  return queryOptions({
    queryKey: ["this-device", accountId],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ client: queryClient }): Promise<ThisDevice> =>
      findThisDevice(accountId, await queryClient.ensureQueryData(devicesQuery)),
  });
}

/** Applies a device's new state to the cached devices; null removes it. */
export function takeDevice(
  queryClient: QueryClient,
  deviceId: string,
  device: Device | null,
): void {
  queryClient.setQueryData(devicesQuery.queryKey, (devices) => {
    if (devices === undefined) return undefined;
    const isKnown = devices.some(({ id }) => id === deviceId);
    const replaced = devices.flatMap((known) => (known.id === deviceId ? (device ?? []) : known));
    return isKnown || device === null ? replaced : [device, ...devices];
  });
  if (device !== null) return;
  // It may have been this browser's device, and its push service may have given it up.
  void queryClient.invalidateQueries({ queryKey: ["this-device"] });
  void queryClient.invalidateQueries({ queryKey: leftDevicesQuery.queryKey });
}

/** Applies a delivery from the live stream, which may be to another account's device. */
export function takeDelivery(queryClient: QueryClient, delivery: Delivery): void {
  queryClient.setQueryData(devicesQuery.queryKey, (devices) =>
    devices === undefined ? undefined : withDelivery(devices, delivery),
  );
}
