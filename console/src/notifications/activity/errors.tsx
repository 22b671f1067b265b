import { Text } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
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
  /** Whether the account's log holds all of them: it does not show failures of other accounts' notifications. */
  readonly areInLog: boolean;
}

/** Reasons of failed deliveries, most frequent first; each links to its deliveries if the log holds them. */
export function Errors({ errors, days, areInLog }: ErrorsProps) {
  const { t } = useTranslation();
  if (errors.length === 0) return <Text c="dimmed">{t("activity.noErrors")}</Text>;
  const search = { state: "failed", from: dayBefore(days - 1) } as const;
  return (
    <ul className={classes["errors"]}>
      {errors.map(({ code, count }) => (
        <li key={code}>
          {areInLog ? (
            <Link to={PATHS.log} search={{ ...search, code }} className={classes["error"]}>
              <span className={classes["cause"]}>{codeWords(code)}</span>
              <span className={classes["count"]}>{numberText(count)}</span>
              <IconChevronRight size={16} aria-hidden />
            </Link>
          ) : (
            <span className={classes["error"]}>
              <span className={classes["cause"]}>{codeWords(code)}</span>
              <span className={classes["count"]}>{numberText(count)}</span>
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
