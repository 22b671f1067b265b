import { IconCloudOff } from "@tabler/icons-react";
import { useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import classes from "./offline-banner.module.css";

/** A notice while there is no network. */
export function OfflineBanner() {
  const { t } = useTranslation();
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine);
  return (
    <div role="status">
      {!isOnline && (
        <p className={classes["banner"]}>
          <IconCloudOff size={18} stroke={1.75} aria-hidden />
          {t("shell.offline")}
        </p>
      )}
    </div>
  );
}

function subscribe(onChange: () => void): () => void {
  const controller = new AbortController();
  addEventListener("online", onChange, { signal: controller.signal });
  addEventListener("offline", onChange, { signal: controller.signal });
  return () => controller.abort();
}
