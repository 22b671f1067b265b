import { Text } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { Activity, ActivityDays } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { PATHS } from "../../paths.ts";
import { describeCode } from "../log/describe-code.ts";
import { getPastDay } from "../log/log-search.ts";
import classes from "./activity.module.css";
import { formatNumber } from "./totals.ts";

interface FailureReasonsProps extends Pick<Activity, "errors"> {
  readonly days: ActivityDays;
  /** Whether the account's log contains the failures. It does not contain other accounts' notifications. */
  readonly isInLog: boolean;
}

/** The reasons for failed deliveries, most frequent first. Each links to its deliveries if the log contains them. */
export function FailureReasons({ errors, days, isInLog }: FailureReasonsProps) {
  const { t } = useTranslation();
  if (errors.length === 0) return <Text c="dimmed">{t("activity.noErrors")}</Text>;
  const search = { state: "failed", from: getPastDay(days - 1) } as const;
  return (
    <ul className={classes["errors"]}>
      {errors.map(({ code, count }) => (
        <li key={code}>
          {isInLog ? (
            <Link to={PATHS.log} search={{ ...search, code }} className={classes["error"]}>
              <span className={classes["cause"]}>{describeCode(code)}</span>
              <span className={classes["count"]}>{formatNumber(count)}</span>
              <IconChevronRight size={16} aria-hidden />
            </Link>
          ) : (
            <span className={classes["error"]}>
              <span className={classes["cause"]}>{describeCode(code)}</span>
              <span className={classes["count"]}>{formatNumber(count)}</span>
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
