import { Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Activity, ActivityDays } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { PATHS } from "../../paths.ts";
import { codeWords } from "../log/code-words.ts";
import { dayBefore } from "../log/log-search.ts";
import classes from "./activity.module.css";
import { numberText } from "./totals.ts";

export interface ErrorsProps extends Pick<Activity, "errors"> {
  readonly days: ActivityDays;
}

/** Why deliveries failed, most frequent first; each leads to those in the log. */
export function Errors({ errors, days }: ErrorsProps) {
  const { t } = useTranslation();
  if (errors.length === 0) return <Text c="dimmed">{t("activity.noErrors")}</Text>;
  const search = { state: "failed", from: dayBefore(days - 1) } as const;
  return (
    <ul className={classes["errors"]}>
      {errors.map(({ code, count }) => (
        <li key={code}>
          <Link to={PATHS.log} search={{ ...search, code }} className={classes["error"]}>
            <span>{codeWords(code)}</span>
            <span className={classes["count"]}>{numberText(count)}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
