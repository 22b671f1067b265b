import { notifications } from "@mantine/notifications";
import type { Device } from "@tocsin/sdk";
import i18next from "i18next";
import { ActionToast } from "../page/action-toast.tsx";
import { ownRegistrations } from "./own-registrations.ts";

/** Notice on an open page about devices that were added elsewhere, possibly by a stranger. */
export interface NewDeviceNotice {
  /** Announces a device, unless this page registered it. */
  readonly tell: (device: Device) => Promise<void>;
  /** Takes back the announcement of a device that is gone. */
  readonly forget: (deviceId: string) => Promise<void>;
}

const ID = "new-device";

/** Returns the page's one notice, which lists all new devices and stays until it is closed or the signal aborts. */
export function createNewDeviceNotice(
  signal: AbortSignal,
  showDevices: () => Promise<void>,
): NewDeviceNotice {
  let told: readonly Pick<Device, "id" | "name">[] = [];
  const hide = () => {
    told = [];
    notifications.hide(ID);
  };
  signal.addEventListener("abort", hide, { once: true });
  const show = () => {
    if (told.length === 0) return hide();
    const toast = toastOf(told, async () => {
      await showDevices();
      hide();
    });
    // Only one of the two acts: `show` on a new notice, `update` on a shown one.
    notifications.show({ ...toast, onClose: () => (told = []) });
    notifications.update(toast);
  };
  const isForOthers = async (deviceId: string) =>
    !(await ownRegistrations.has(deviceId)) && !signal.aborted;
  return {
    async tell({ id, name }) {
      if (!(await isForOthers(id))) return;
      told = [...told.filter((device) => device.id !== id), { id, name }];
      show();
    },
    async forget(deviceId) {
      // A pending `tell` waits for the same check, and comes first.
      if (!(await isForOthers(deviceId)) || !told.some(({ id }) => id === deviceId)) return;
      told = told.filter(({ id }) => id !== deviceId);
      show();
    },
  };
}

function toastOf(told: readonly Pick<Device, "name">[], run: () => Promise<void>) {
  const count = told.length;
  return {
    id: ID,
    color: "yellow",
    autoClose: false as const,
    title: i18next.t("device.added", { count, name: told[0]?.name ?? "" }),
    message: (
      <ActionToast
        message={i18next.t("device.addedText", { count })}
        action={i18next.t("device.addedLook")}
        run={run}
      />
    ),
    closeButtonProps: { "aria-label": i18next.t("shell.close") },
  };
}
