import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useAccount } from "../accounts/account-context.ts";
import { client } from "../client.ts";
import { showToast } from "../page/toasts.ts";
import { devicesQuery, createThisDeviceQuery } from "./device-queries.ts";
import { turnOffNotifications, turnOnNotifications, type ThisDevice } from "./this-device.ts";

/** Returns the query for this browser as a device, and the actions that turn notifications on or off or test them. */
export function useThisDevice() {
  const { t } = useTranslation();
  const { id: accountId } = useAccount();
  const queryClient = useQueryClient();
  const query = useQuery(createThisDeviceQuery(accountId));
  const update = async (thisDevice: ThisDevice) => {
    queryClient.setQueryData(createThisDeviceQuery(accountId).queryKey, thisDevice);
    await queryClient.invalidateQueries({ queryKey: devicesQuery.queryKey });
  };
  return {
    query,
    turnOn: async () => {
      const deviceId = await turnOnNotifications(accountId);
      if (deviceId === null) {
        const notificationState = Notification.permission === "denied" ? "denied" : "off";
        await update({ notificationState, deviceId });
        throw new Error(t("device.notAllowed"));
      }
      await update({ notificationState: "on", deviceId });
      showToast(t("device.turnedOn"));
    },
    turnOff: async () => {
      await turnOffNotifications(accountId);
      await update({ notificationState: "off", deviceId: null });
      showToast(t("device.turnedOff"));
    },
    sendTest: async (deviceId: string) => {
      const { success, message } = await client.devices.test(deviceId);
      if (!success) throw new Error(message);
      showToast(message);
    },
  };
}
