import type { Delivery, Device } from "@tocsin/sdk";

/** Returns the devices with the state of a delivery to one of them, unless a newer one is known. */
export function withDelivery(
  devices: readonly Device[],
  { deviceId, state, updatedAt }: Pick<Delivery, "deviceId" | "state" | "updatedAt">,
): readonly Device[] {
  return devices.map((device) => {
    const isNews = device.lastDelivery === null || device.lastDelivery.at <= updatedAt;
    if (device.id !== deviceId || !isNews) return device;
    return { ...device, lastDelivery: { state, at: updatedAt } };
  });
}
