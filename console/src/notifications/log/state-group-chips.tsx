import type { DeliveryStateGroup } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import classes from "./filter-bar.module.css";

interface StateGroupChipsProps {
  readonly groups: readonly DeliveryStateGroup[];
  /** The selected group of states; null for all. */
  readonly selected: DeliveryStateGroup | null;
  readonly onSelect: (group: DeliveryStateGroup | null) => void;
  /** Returns the number of deliveries in a group; null means all. Omitted if the numbers are unknown. */
  readonly getCount?: (group: DeliveryStateGroup | null) => number;
}

/** Filter chips, one per group of delivery states. */
export function StateGroupChips({ groups, selected, onSelect, getCount }: StateGroupChipsProps) {
  const { t } = useTranslation();
  const formatLabel = (group: DeliveryStateGroup | null) => {
    if (group !== null) return [t(`stateGroup.${group}`), getCount?.(group)].join(" ").trim();
    return getCount === undefined ? t("log.any") : t("log.allStates", { count: getCount(null) });
  };
  return (
    <div className={classes["chips"]} role="group" aria-label={t("log.result")}>
      {[null, ...groups].map((group) => (
        <button
          key={group ?? ""}
          type="button"
          className={classes["chip"]}
          aria-pressed={group === selected}
          onClick={() => onSelect(group)}
        >
          {formatLabel(group)}
        </button>
      ))}
    </div>
  );
}
