import type { Delivery, Device, LeftDevice } from "@tocsin/sdk";
import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { client } from "../client.ts";
import { withDelivery } from "./last-delivery.ts";
import { findThisDevice, type ThisDevice } from "./this-device.ts";

/** The server lets an account have half as many. */
const DEVICES_LIMIT = 200;

/** Asks for the devices of the account. */
export const devicesQuery = queryOptions({
  queryKey: ["devices"],
  queryFn: async ({ signal }): Promise<readonly Device[]> =>
    (await client.devices.list({ limit: DEVICES_LIMIT }, { signal })).items,
});

/** Asks for the devices that their push services gave up lately. */
export const leftDevicesQuery = queryOptions({
  queryKey: ["devices", "left"],
  queryFn: async ({ signal }): Promise<readonly LeftDevice[]> =>
    (await client.devices.left({ signal })).items,
});

/** Asks what this browser is among the account's devices, once they are known. */
export function thisDeviceQuery(accountId: string) {
  return queryOptions({
    queryKey: ["this-device", accountId],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ client: queryClient }): Promise<ThisDevice> =>
      findThisDevice(accountId, await queryClient.ensureQueryData(devicesQuery)),
  });
}

/** Takes in what became of a device; null where it is gone. */
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
  // It may have been this one, and may have left by itself.
  void queryClient.invalidateQueries({ queryKey: ["this-device"] });
  void queryClient.invalidateQueries({ queryKey: leftDevicesQuery.queryKey });
}

/** Takes in what the live stream says of a delivery, which may be to somebody else's device. */
export function takeDelivery(queryClient: QueryClient, delivery: Delivery): void {
  queryClient.setQueryData(devicesQuery.queryKey, (devices) =>
    devices === undefined ? undefined : withDelivery(devices, delivery),
  );
}
