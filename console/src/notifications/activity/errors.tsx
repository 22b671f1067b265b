import { Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Activity, ActivityDays } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { PATHS } from "../../paths.ts";
import { dayBefore } from "../log/log-search.ts";
import { whyKeyOf } from "../log/why.ts";
import classes from "./activity.module.css";
import { numberText } from "./totals.ts";

export interface ErrorsProps extends Pick<Activity, "errors"> {
  readonly days: ActivityDays;
}

/** Why deliveries failed, most frequent first; each leads to the failed ones in the log. */
export function Errors({ errors, days }: ErrorsProps) {
  const { t } = useTranslation();
  if (errors.length === 0) return <Text c="dimmed">{t("activity.noErrors")}</Text>;
  const search = { state: "failed", from: dayBefore(days - 1) } as const;
  return (
    <ul className={classes["errors"]}>
      {errors.map(({ code, count }) => {
        // Where the words differ by push service, those of all of them together are our own.
        const key = whyKeyOf(code, "webpush");
        const title = key === null ? code : t(`why.${key}.title`);
        return (
          <li key={code}>
            <Link to={PATHS.log} search={search} className={classes["error"]}>
              <span>{code === "device_gone" ? t("activity.deviceGone") : title}</span>
              <span className={classes["count"]}>{numberText(count)}</span>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
