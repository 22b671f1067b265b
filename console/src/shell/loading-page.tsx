import { Loader } from "@mantine/core";
import { useTranslation } from "react-i18next";
import classes from "./loading-page.module.css";

/** A placeholder for a page that loads slowly. */
export function LoadingPage() {
  const { t } = useTranslation();
  return (
    <div className={classes["page"]} role="status" aria-label={t("shell.loading")}>
      <Loader aria-hidden />
    </div>
  );
}
