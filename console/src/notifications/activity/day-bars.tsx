import type { ActivityDay } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { dateFormat } from "../../language/date-format.ts";
import { currentLocale } from "../../language/language.ts";
import classes from "./activity.module.css";
import { endedOf, ENDS, numberText } from "./totals.ts";

/** Most days whose bars carry a number: more numbers would not fit side by side. */
const NUMBERED_DAYS_MAX = 14;

/** Outcomes of deliveries by day: a bar for each day, and the same as a table for readers who cannot see bars. */
export function DayBars({ days }: { readonly days: readonly ActivityDay[] }) {
  const { t } = useTranslation();
  const most = Math.max(1, ...days.map(endedOf));
  return (
    <div className={classes["chart"]}>
      <Legend most={most} />
      <div className={classes["plot"]} aria-hidden>
        <div className={classes["scale"]}>
          <span>{shortText(most)}</span>
          {most > 1 && <span>{shortText(most / 2)}</span>}
          <span>{shortText(0)}</span>
        </div>
        <div className={classes["bars"]}>
          {days.map((day) => (
            <Bar
              key={day.day}
              day={day}
              most={most}
              isNumbered={days.length <= NUMBERED_DAYS_MAX}
            />
          ))}
        </div>
      </div>
      <div className={classes["ends"]} aria-hidden>
        <span>{dayText(days[0])}</span>
        <span>{dayText(days.at(-1))}</span>
      </div>
      <p className={classes["hint"]}>{t("activity.utc", { time: midnightText() })}</p>
      <details className={classes["table"]}>
        <summary>{t("activity.asTable")}</summary>
        <DayTable days={days} />
      </details>
    </div>
  );
}

function Legend({ most }: { readonly most: number }) {
  const { t } = useTranslation();
  return (
    <div className={classes["legend"]} aria-hidden>
      {ENDS.map((end) => (
        <span key={end} data-fate={end}>
          {t(`fate.${end}`)}
        </span>
      ))}
      <em>{t("activity.most", { count: most })}</em>
    </div>
  );
}

interface BarProps {
  readonly day: ActivityDay;
  readonly most: number;
  readonly isNumbered: boolean;
}

function Bar({ day, most, isNumbered }: BarProps) {
  const { t } = useTranslation();
  const ended = endedOf(day);
  const told = ENDS.map((end) => `${t(`fate.${end}`)}: ${numberText(day[end])}`);
  return (
    <span className={classes["column"]} title={[dayText(day), ...told].join("\n")}>
      {isNumbered && ended > 0 && <span className={classes["number"]}>{shortText(ended)}</span>}
      <span className={classes["bar"]} style={{ height: `${(100 * ended) / most}%` }}>
        {ENDS.toReversed()
          .filter((end) => day[end] > 0)
          .map((end) => (
            <span key={end} data-fate={end} style={{ flexGrow: day[end] }} />
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
          {ENDS.map((end) => (
            <th key={end} scope="col">
              {t(`fate.${end}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {days.toReversed().map((day) => (
          <tr key={day.day}>
            <th scope="row">{dayText(day)}</th>
            <td>{numberText(day.sent)}</td>
            {ENDS.map((end) => (
              <td key={end}>{numberText(day[end])}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Returns today's start of the server's day, in the reader's time. */
function midnightText(): string {
  const now = new Date();
  const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  return dateFormat({ timeStyle: "short" }).format(midnight);
}

/** Returns a number that is short enough for a bar: `1.2K`. */
function shortText(value: number): string {
  const style = { notation: "compact", maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(currentLocale(), style).format(value);
}

/** Days are the server's, in UTC. */
function dayText(day: ActivityDay | undefined): string {
  if (day === undefined) return "";
  const style = { weekday: "short", day: "numeric", month: "short", timeZone: "UTC" } as const;
  return new Intl.DateTimeFormat(currentLocale(), style).format(new Date(day.day));
}
