import type { DeliveryCounts } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import classes from "./outcome-summary.module.css";
import { countOutcomes, countDevices } from "./outcomes.ts";

/** The number of devices that a notification reached and the other outcomes, as a bar and as text. */
export function OutcomeSummary({ counts }: { readonly counts: DeliveryCounts }) {
  const { t } = useTranslation();
  const total = countDevices(counts);
  if (total === 0) return <span className={classes["labels"]}>{t("log.noDevice")}</span>;
  const parts = countOutcomes(counts);
  const deliveredCount = parts.find(({ outcome }) => outcome === "delivered")?.count ?? 0;
  const otherOutcomes = parts.filter(({ outcome, count }) => outcome !== "delivered" && count > 0);
  return (
    <div className={classes["counts"]}>
      <div className={classes["bar"]} aria-hidden>
        {parts
          .filter(({ count }) => count > 0)
          .map(({ outcome, count }) => (
            <span key={outcome} data-outcome={outcome} style={{ flexGrow: count }} />
          ))}
      </div>
      <div className={classes["labels"]}>
        <span>{t("log.summary", { delivered: deliveredCount, count: total })}</span>
        {otherOutcomes.map(({ outcome, count }) => (
          <span key={outcome} className={classes["label"]} data-outcome={outcome}>
            {`${count} ${t(`stateGroup.${outcome}`).toLocaleLowerCase()}`}
          </span>
        ))}
      </div>
    </div>
  );
}
