import type { Delivery, Device } from "@tocsin/sdk";

/** Returns the devices with this news of a delivery to one of them, unless newer news is known already. */
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
