import { Loader } from "@mantine/core";
import { useTranslation } from "react-i18next";
import classes from "./waiting.module.css";

/** What is shown while a page is on its way for longer than one notices. */
export function Waiting() {
  const { t } = useTranslation();
  return (
    <div className={classes["waiting"]} role="status" aria-label={t("shell.loading")}>
      <Loader aria-hidden />
    </div>
  );
}
