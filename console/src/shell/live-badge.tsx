import { useTranslation } from "react-i18next";
import { useIsLive } from "../live/live-updates.tsx";
import classes from "./live-badge.module.css";

/** A badge that shows whether the page receives live updates. It does not show the state of push services. */
export function LiveBadge() {
  const { t } = useTranslation();
  const isLive = useIsLive();
  return (
    <span
      className={classes["badge"]}
      data-live={isLive}
      role="status"
      title={t(isLive ? "shell.liveTitle" : "shell.connectingTitle")}
    >
      {t(isLive ? "shell.live" : "shell.connecting")}
    </span>
  );
}
