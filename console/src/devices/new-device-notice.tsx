import { notifications } from "@mantine/notifications";
import type { Device } from "@tocsin/sdk";
import i18next from "i18next";
import { ActionToast } from "../page/action-toast.tsx";
import { ownRegistrations } from "./own-registrations.ts";

/** Tells the reader of an open page of devices that were added elsewhere: it may have been somebody else. */
export interface NewDeviceNotice {
  /** Tells of a device, unless this page registered it. */
  readonly tell: (device: Device) => Promise<void>;
  /** Takes back what was told of a device that is gone. */
  readonly forget: (deviceId: string) => Promise<void>;
}

const ID = "new-device";

/** Returns the one notice of a page, which stays until it is closed or the signal aborts; all new devices stand in it. */
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
    // Of the two, one finds something to do.
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
      // What is told waits as well, and comes first.
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
