import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useAccount } from "../accounts/account-context.ts";
import { client } from "../client.ts";
import { say } from "../page/toasts.ts";
import { devicesQuery, thisDeviceQuery } from "./device-queries.ts";
import { turnOff, turnOn, type ThisDevice } from "./this-device.ts";

/** Returns this browser's place in the account, and the actions on it. */
export function useThisDevice() {
  const { t } = useTranslation();
  const { id: accountId } = useAccount();
  const queryClient = useQueryClient();
  const query = useQuery(thisDeviceQuery(accountId));
  const become = async (found: ThisDevice) => {
    queryClient.setQueryData(thisDeviceQuery(accountId).queryKey, found);
    await queryClient.invalidateQueries({ queryKey: devicesQuery.queryKey });
  };
  return {
    query,
    turnOn: async () => {
      const deviceId = await turnOn(accountId);
      if (deviceId === null) {
        const capability = Notification.permission === "denied" ? "denied" : "off";
        await become({ capability, deviceId });
        throw new Error(t("device.notAllowed"));
      }
      await become({ capability: "on", deviceId });
      say(t("device.turnedOn"));
    },
    turnOff: async () => {
      await turnOff(accountId);
      await become({ capability: "off", deviceId: null });
      say(t("device.turnedOff"));
    },
    test: async (deviceId: string) => {
      const { success, message } = await client.devices.test(deviceId);
      if (!success) throw new Error(message);
      say(message);
    },
  };
}
