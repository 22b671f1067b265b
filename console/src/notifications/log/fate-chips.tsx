import type { DeliveryFate } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import classes from "./filter-bar.module.css";

export interface FateChipsProps {
  readonly fates: readonly DeliveryFate[];
  /** Null for all. */
  readonly chosen: DeliveryFate | null;
  readonly onChoose: (fate: DeliveryFate | null) => void;
  /** Returns the number of deliveries with an outcome, if known; null stands for all. */
  readonly countOf?: (fate: DeliveryFate | null) => number;
}

/** Choice of delivery outcomes. */
export function FateChips({ fates, chosen, onChoose, countOf }: FateChipsProps) {
  const { t } = useTranslation();
  const nameOf = (fate: DeliveryFate | null) => {
    if (fate !== null) return [t(`fate.${fate}`), countOf?.(fate)].join(" ").trim();
    return countOf === undefined ? t("log.any") : t("log.allStates", { count: countOf(null) });
  };
  return (
    <div className={classes["chips"]} role="group" aria-label={t("log.result")}>
      {[null, ...fates].map((fate) => (
        <button
          key={fate ?? ""}
          type="button"
          className={classes["chip"]}
          aria-pressed={fate === chosen}
          onClick={() => onChoose(fate)}
        >
          {nameOf(fate)}
        </button>
      ))}
    </div>
  );
}
