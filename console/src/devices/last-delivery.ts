import type { Delivery, Device } from "@tocsin/sdk";

/** Returns the devices after a delivery, which becomes the last one of its device unless the device has a newer one. */
export function applyLastDelivery(
  devices: readonly Device[],
  { deviceId, state, updatedAt }: Pick<Delivery, "deviceId" | "state" | "updatedAt">,
): readonly Device[] {
  return devices.map((device) => {
    const isNewer = device.lastDelivery === null || device.lastDelivery.at <= updatedAt;
    if (device.id !== deviceId || !isNewer) return device;
    return { ...device, lastDelivery: { state, at: updatedAt } };
  });
}
