import { useTranslation } from "react-i18next";
import { ThisDeviceActions, ThisDevicePanel } from "../devices/this-device-panel.tsx";
import { useThisDevice } from "../devices/use-this-device.ts";
import { Step } from "./step.tsx";

/** One of the first steps: it registers this browser as a device. */
export function DeviceStep() {
  const { t } = useTranslation();
  const { data: thisDevice } = useThisDevice().query;
  const isOn = thisDevice?.notificationState === "on";
  return (
    <Step number={1} isDone={isOn} title={t(isOn ? "onboarding.deviceDone" : "onboarding.device")}>
      {thisDevice?.notificationState === "off" ? (
        <div>
          <ThisDeviceActions {...thisDevice} />
        </div>
      ) : (
        !isOn && <ThisDevicePanel />
      )}
    </Step>
  );
}
