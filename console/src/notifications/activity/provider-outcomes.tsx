import { Text } from "@mantine/core";
import type { Activity } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import classes from "./activity.module.css";
import { countEndedDeliveries, FINAL_GROUPS, formatNumber } from "./totals.ts";

/** The outcomes of deliveries by provider. */
export function ProviderOutcomes({ providers }: Pick<Activity, "providers">) {
  const { t } = useTranslation();
  if (providers.length === 0) return <Text c="dimmed">{t("activity.noneEnded")}</Text>;
  const max = Math.max(1, ...providers.map(countEndedDeliveries));
  return (
    <ul className={classes["providers"]}>
      {providers.map((counts) => (
        <li key={counts.provider}>
          <span className={classes["provider"]}>{t(`provider.name.${counts.provider}`)}</span>
          <span
            className={classes["outcomeBar"]}
            aria-hidden
            style={{ width: `${(100 * countEndedDeliveries(counts)) / max}%` }}
          >
            {FINAL_GROUPS.filter((group) => counts[group] > 0).map((group) => (
              <span key={group} data-group={group} style={{ flexGrow: counts[group] }} />
            ))}
          </span>
          <span className={classes["hint"]}>
            {FINAL_GROUPS.filter((group) => counts[group] > 0)
              .map(
                (group) =>
                  `${formatNumber(counts[group])} ${t(`stateGroup.${group}`).toLocaleLowerCase()}`,
              )
              .join(" · ")}
          </span>
        </li>
      ))}
    </ul>
  );
}
