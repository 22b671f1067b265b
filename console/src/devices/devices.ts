import type { Delivery, Device } from "@tocsin/sdk";
import { client } from "../client.ts";
import { deviceList } from "./device-list.ts";
import { withDelivery } from "./last-delivery.ts";
import { ThisDevicePanel } from "./this-device-panel.ts";

/** Both parts of the page about devices, and what keeps them true. */
export interface Devices {
  readonly thisDevice: HTMLElement;
  readonly list: HTMLElement;
  /** Asks the server for all devices. */
  refresh(): Promise<void>;
  /** Takes in what the live stream says of a device; null where it is gone. */
  take(deviceId: string, device: Device | null): void;
  /** Takes in what the live stream says of a delivery, which may be to somebody else's device. */
  takeDelivery(delivery: Delivery): void;
}

/** The server lets an account have half as many. */
const DEVICES_LIMIT = 200;

/** Returns the parts for an account, to be refreshed once. */
export function accountDevices(accountId: string): Devices {
  let devices: readonly Device[] = [];
  let thisDeviceId: string | null = null;
  const show = () => list.show(devices, thisDeviceId);
  const take = (deviceId: string, device: Device | null) => {
    const isKnown = devices.some(({ id }) => id === deviceId);
    const replaced = devices.flatMap((known) => (known.id === deviceId ? (device ?? []) : known));
    devices = isKnown || device === null ? replaced : [device, ...devices];
    show();
    if (device === null && deviceId === thisDeviceId) void panel.refresh(devices);
  };
  const takeDelivery = (delivery: Delivery) => {
    devices = withDelivery(devices, delivery);
    const device = devices.find(({ id }) => id === delivery.deviceId);
    if (device !== undefined) list.showState(device);
  };
  const list = deviceList({ onChange: take });
  const panel = new ThisDevicePanel({
    accountId,
    onChange: (deviceId) => {
      if (deviceId === thisDeviceId) return;
      thisDeviceId = deviceId;
      void load();
    },
  });
  const load = async () => {
    try {
      devices = (await client.devices.list({ limit: DEVICES_LIMIT })).items;
      show();
    } catch (error) {
      list.fail(error);
    }
  };
  const refresh = async () => {
    await load();
    await panel.refresh(devices);
  };
  return { thisDevice: panel.element, list: list.element, refresh, take, takeDelivery };
}
