import { Loader } from "@mantine/core";
import { useTranslation } from "react-i18next";
import classes from "./waiting.module.css";

/** Placeholder for a page that takes noticeably long to load. */
export function Waiting() {
  const { t } = useTranslation();
  return (
    <div className={classes["waiting"]} role="status" aria-label={t("shell.loading")}>
      <Loader aria-hidden />
    </div>
  );
}
