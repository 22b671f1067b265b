import type { DeliveryCounts } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import classes from "./counts.module.css";
import { fateCounts, totalOf } from "./fates.ts";

/** Devices that a notification reached, and the outcomes on the others: a bar and its words. */
export function Counts({ counts }: { readonly counts: DeliveryCounts }) {
  const { t } = useTranslation();
  const total = totalOf(counts);
  if (total === 0) return <span className={classes["words"]}>{t("log.nobody")}</span>;
  const parts = fateCounts(counts);
  const delivered = parts.find(({ fate }) => fate === "delivered")?.count ?? 0;
  const others = parts.filter(({ fate, count }) => fate !== "delivered" && count > 0);
  return (
    <div className={classes["counts"]}>
      <div className={classes["bar"]} aria-hidden>
        {parts
          .filter(({ count }) => count > 0)
          .map(({ fate, count }) => (
            <span key={fate} data-fate={fate} style={{ flexGrow: count }} />
          ))}
      </div>
      <div className={classes["words"]}>
        <span>{t("log.summary", { delivered, count: total })}</span>
        {others.map(({ fate, count }) => (
          <span key={fate} className={classes["word"]} data-fate={fate}>
            {`${count} ${t(`fate.${fate}`).toLocaleLowerCase()}`}
          </span>
        ))}
      </div>
    </div>
  );
}
