import { IconCloudOff } from "@tabler/icons-react";
import { useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import classes from "./offline-banner.module.css";

/** Notice that there is no network, while there is none. */
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
  const view = new AbortController();
  addEventListener("online", onChange, { signal: view.signal });
  addEventListener("offline", onChange, { signal: view.signal });
  return () => view.abort();
}
