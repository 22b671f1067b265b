import { notifications } from "@mantine/notifications";
import type { Device } from "@tocsin/sdk";
import i18next from "i18next";
import { ActionToast } from "../page/action-toast.tsx";
import { ownRegistrations } from "./own-registrations.ts";

/** A notice on an open page about devices that were added elsewhere, possibly by a stranger. */
export interface NewDeviceNotice {
  /** Adds a device to the notice, unless this page registered it. */
  readonly add: (device: Device) => Promise<void>;
  /** Removes a deleted device from the notice. */
  readonly remove: (deviceId: string) => Promise<void>;
}

const NOTICE_ID = "new-device";

/** Returns the page's only notice. It counts all new devices and stays until it is closed or the signal aborts. */
export function createNewDeviceNotice(
  signal: AbortSignal,
  showDevices: () => Promise<void>,
): NewDeviceNotice {
  let newDevices: readonly Pick<Device, "id" | "name">[] = [];
  const hide = () => {
    newDevices = [];
    notifications.hide(NOTICE_ID);
  };
  signal.addEventListener("abort", hide, { once: true });
  const show = () => {
    if (newDevices.length === 0) return hide();
    const toast = createNoticeToast(newDevices, async () => {
      await showDevices();
      hide();
    });
    // Only one of the two calls has an effect: `show` for a new notice, `update` for a visible one.
    notifications.show({ ...toast, onClose: () => (newDevices = []) });
    notifications.update(toast);
  };
  const wasAddedElsewhere = async (deviceId: string) =>
    !(await ownRegistrations.has(deviceId)) && !signal.aborted;
  return {
    async add({ id, name }) {
      if (!(await wasAddedElsewhere(id))) return;
      newDevices = [...newDevices.filter((device) => device.id !== id), { id, name }];
      show();
    },
    async remove(deviceId) {
      // A pending `add` waits for the same check and runs first.
      if (!(await wasAddedElsewhere(deviceId)) || !newDevices.some(({ id }) => id === deviceId))
        return;
      newDevices = newDevices.filter(({ id }) => id !== deviceId);
      show();
    },
  };
}

function createNoticeToast(newDevices: readonly Pick<Device, "name">[], run: () => Promise<void>) {
  const count = newDevices.length;
  return {
    id: NOTICE_ID,
    color: "yellow",
    autoClose: false as const,
    title: i18next.t("device.added", { count, name: newDevices[0]?.name ?? "" }),
    message: (
      <ActionToast
        message={i18next.t("device.addedText", { count })}
        actionLabel={i18next.t("device.openDevices")}
        run={run}
      />
    ),
    closeButtonProps: { "aria-label": i18next.t("shell.close") },
  };
}
