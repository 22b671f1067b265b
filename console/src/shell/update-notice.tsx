import { Button } from "@mantine/core";
import { IconSparkles } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useActivateUpdate } from "../worker/update.ts";
import classes from "./update-notice.module.css";

/** A notice that a new version is ready. The version loads only on request, so that typed text is not lost. */
export function UpdateNotice() {
  const { t } = useTranslation();
  const load = useActivateUpdate();
  return (
    <div role="status">
      {load !== null && (
        <p className={classes["notice"]}>
          <IconSparkles size={18} stroke={1.75} aria-hidden />
          <span>{t("shell.newVersion")}</span>
          <Button size="compact-sm" variant="subtle" onClick={load}>
            {t("shell.reload")}
          </Button>
        </p>
      )}
    </div>
  );
}
