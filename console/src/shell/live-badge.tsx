import { useTranslation } from "react-i18next";
import { useIsLive } from "../live/live.tsx";
import classes from "./live-badge.module.css";

/** Tells whether news come by themselves. */
export function LiveBadge() {
  const { t } = useTranslation();
  const isLive = useIsLive();
  return (
    <span className={classes["badge"]} data-live={isLive} role="status">
      {t(isLive ? "shell.live" : "shell.connecting")}
    </span>
  );
}
