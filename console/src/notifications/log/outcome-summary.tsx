import type { DeliveryCounts } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import classes from "./outcome-summary.module.css";
import { countByGroup, countDevices } from "./state-groups.ts";

/** The number of devices that a notification reached and the other outcomes, as a bar and as text. */
export function OutcomeSummary({ counts }: { readonly counts: DeliveryCounts }) {
  const { t } = useTranslation();
  const total = countDevices(counts);
  if (total === 0) return <span className={classes["labels"]}>{t("log.noDevice")}</span>;
  const parts = countByGroup(counts);
  const deliveredCount = parts.find(({ group }) => group === "delivered")?.count ?? 0;
  const otherGroups = parts.filter(({ group, count }) => group !== "delivered" && count > 0);
  return (
    <div className={classes["counts"]}>
      <div className={classes["bar"]} aria-hidden>
        {parts
          .filter(({ count }) => count > 0)
          .map(({ group, count }) => (
            <span key={group} data-group={group} style={{ flexGrow: count }} />
          ))}
      </div>
      <div className={classes["labels"]}>
        <span>{t("log.summary", { delivered: deliveredCount, count: total })}</span>
        {otherGroups.map(({ group, count }) => (
          <span key={group} className={classes["label"]} data-group={group}>
            {`${count} ${t(`stateGroup.${group}`).toLocaleLowerCase()}`}
          </span>
        ))}
      </div>
    </div>
  );
}
