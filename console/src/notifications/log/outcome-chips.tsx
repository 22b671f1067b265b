import type { DeliveryStateGroup } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import classes from "./filter-bar.module.css";

interface OutcomeChipsProps {
  readonly outcomes: readonly DeliveryStateGroup[];
  /** The selected outcome; null for all. */
  readonly selected: DeliveryStateGroup | null;
  readonly onSelect: (outcome: DeliveryStateGroup | null) => void;
  /** Returns the number of deliveries with an outcome; null means all. Omitted if the numbers are unknown. */
  readonly getCount?: (outcome: DeliveryStateGroup | null) => number;
}

/** Filter chips, one per delivery outcome. */
export function OutcomeChips({ outcomes, selected, onSelect, getCount }: OutcomeChipsProps) {
  const { t } = useTranslation();
  const formatLabel = (outcome: DeliveryStateGroup | null) => {
    if (outcome !== null) return [t(`stateGroup.${outcome}`), getCount?.(outcome)].join(" ").trim();
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
