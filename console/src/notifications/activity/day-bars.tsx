import type { ActivityDay } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { getDateFormat } from "../../language/date-format.ts";
import { getCurrentLocale } from "../../language/language.ts";
import classes from "./activity.module.css";
import { countEndedDeliveries, FINAL_GROUPS, formatNumber } from "./totals.ts";

/** Maximum number of days whose bars have a number. More numbers would overlap. */
const NUMBERED_DAYS_MAX = 14;

/** The outcomes of deliveries by day: a bar for each day, and a table with the exact numbers. */
export function DayBars({ days }: { readonly days: readonly ActivityDay[] }) {
  const { t } = useTranslation();
  const max = Math.max(1, ...days.map(countEndedDeliveries));
  return (
    <div className={classes["chart"]}>
      <Legend max={max} />
      <div className={classes["plot"]} aria-hidden>
        <div className={classes["scale"]}>
          <span>{formatCompact(max)}</span>
          {max > 1 && <span>{formatCompact(max / 2)}</span>}
          <span>{formatCompact(0)}</span>
        </div>
        <div className={classes["bars"]}>
          {days.map((day) => (
            <Bar key={day.day} day={day} max={max} isNumbered={days.length <= NUMBERED_DAYS_MAX} />
          ))}
        </div>
      </div>
      <div className={classes["axisLabels"]} aria-hidden>
        <span>{formatDay(days[0])}</span>
        <span>{formatDay(days.at(-1))}</span>
      </div>
      <p className={classes["hint"]}>{t("activity.utc", { time: formatUtcMidnight() })}</p>
      <details className={classes["table"]}>
        <summary>{t("activity.asTable")}</summary>
        <DayTable days={days} />
      </details>
    </div>
  );
}

function Legend({ max }: { readonly max: number }) {
  const { t } = useTranslation();
  return (
    <div className={classes["legend"]} aria-hidden>
      {FINAL_GROUPS.map((group) => (
        <span key={group} data-group={group}>
          {t(`stateGroup.${group}`)}
        </span>
      ))}
      <em>{t("activity.dailyMax", { count: max })}</em>
    </div>
  );
}

interface BarProps {
  readonly day: ActivityDay;
  readonly max: number;
  readonly isNumbered: boolean;
}

function Bar({ day, max, isNumbered }: BarProps) {
  const { t } = useTranslation();
  const endedCount = countEndedDeliveries(day);
  const lines = FINAL_GROUPS.map(
    (group) => `${t(`stateGroup.${group}`)}: ${formatNumber(day[group])}`,
  );
  return (
    <span className={classes["column"]} title={[formatDay(day), ...lines].join("\n")}>
      {isNumbered && endedCount > 0 && (
        <span className={classes["number"]}>{formatCompact(endedCount)}</span>
      )}
      <span className={classes["bar"]} style={{ height: `${(100 * endedCount) / max}%` }}>
        {FINAL_GROUPS.toReversed()
          .filter((group) => day[group] > 0)
          .map((group) => (
            <span key={group} data-group={group} style={{ flexGrow: day[group] }} />
          ))}
      </span>
    </span>
  );
}

function DayTable({ days }: { readonly days: readonly ActivityDay[] }) {
  const { t } = useTranslation();
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{t("activity.day")}</th>
          <th scope="col">{t("activity.sent")}</th>
          {FINAL_GROUPS.map((group) => (
            <th key={group} scope="col">
              {t(`stateGroup.${group}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {days.toReversed().map((day) => (
          <tr key={day.day}>
            <th scope="row">{formatDay(day)}</th>
            <td>{formatNumber(day.sent)}</td>
            {FINAL_GROUPS.map((group) => (
              <td key={group}>{formatNumber(day[group])}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Returns the time at which the server's day starts, in the reader's time zone. */
function formatUtcMidnight(): string {
  const now = new Date();
  const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  return getDateFormat({ timeStyle: "short" }).format(midnight);
}

/** Returns a number in compact notation, such as `1.2K`. */
function formatCompact(value: number): string {
  const style = { notation: "compact", maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(getCurrentLocale(), style).format(value);
}

/** Formats a day of the server, which is in UTC. */
function formatDay(day: ActivityDay | undefined): string {
  if (day === undefined) return "";
  const style = { weekday: "short", day: "numeric", month: "short", timeZone: "UTC" } as const;
  return new Intl.DateTimeFormat(getCurrentLocale(), style).format(new Date(day.day));
}
