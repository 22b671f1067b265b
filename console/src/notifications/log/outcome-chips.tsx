import type { DeliveryFate } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import classes from "./filter-bar.module.css";

interface OutcomeChipsProps {
  readonly outcomes: readonly DeliveryFate[];
  /** The selected outcome; null for all. */
  readonly selected: DeliveryFate | null;
  readonly onSelect: (outcome: DeliveryFate | null) => void;
  /** Returns the number of deliveries with an outcome; null means all. Omitted if the numbers are unknown. */
  readonly getCount?: (outcome: DeliveryFate | null) => number;
}

/** Filter chips, one per delivery outcome. */
export function OutcomeChips({ outcomes, selected, onSelect, getCount }: OutcomeChipsProps) {
  const { t } = useTranslation();
  const formatLabel = (outcome: DeliveryFate | null) => {
    if (outcome !== null) return [t(`fate.${outcome}`), getCount?.(outcome)].join(" ").trim();
    return getCount === undefined ? t("log.any") : t("log.allStates", { count: getCount(null) });
  };
  return (
    <div className={classes["chips"]} role="group" aria-label={t("log.result")}>
      {[null, ...outcomes].map((outcome) => (
        <button
          key={outcome ?? ""}
          type="button"
          className={classes["chip"]}
          aria-pressed={outcome === selected}
          onClick={() => onSelect(outcome)}
        >
          {formatLabel(outcome)}
        </button>
      ))}
    </div>
  );
}
