import { Text } from "@mantine/core";
import type { Activity } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import classes from "./activity.module.css";
import { endedOf, ENDS, numberText } from "./totals.ts";

/** Outcomes of deliveries by push service. */
export function Providers({ providers }: Pick<Activity, "providers">) {
  const { t } = useTranslation();
  if (providers.length === 0) return <Text c="dimmed">{t("activity.noneEnded")}</Text>;
  const most = Math.max(1, ...providers.map(endedOf));
  return (
    <ul className={classes["services"]}>
      {providers.map((counts) => (
        <li key={counts.provider}>
          <span className={classes["service"]}>{t(`provider.name.${counts.provider}`)}</span>
          <span
            className={classes["across"]}
            aria-hidden
            style={{ width: `${(100 * endedOf(counts)) / most}%` }}
          >
            {ENDS.filter((end) => counts[end] > 0).map((end) => (
              <span key={end} data-fate={end} style={{ flexGrow: counts[end] }} />
            ))}
          </span>
          <span className={classes["hint"]}>
            {ENDS.filter((end) => counts[end] > 0)
              .map((end) => `${numberText(counts[end])} ${t(`fate.${end}`).toLocaleLowerCase()}`)
              .join(" · ")}
          </span>
        </li>
      ))}
    </ul>
  );
}
