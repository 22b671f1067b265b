import type { ActivityDay } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { currentLanguage } from "../../language/language.ts";
import classes from "./activity.module.css";
import { endedOf, ENDS, numberText } from "./totals.ts";

/** How deliveries ended on each day: a bar a day, and the same as a table for who does not see bars. */
export function DayBars({ days }: { readonly days: readonly ActivityDay[] }) {
  const { t } = useTranslation();
  const most = Math.max(1, ...days.map(endedOf));
  return (
    <div className={classes["chart"]}>
      <Legend most={most} />
      <div className={classes["bars"]} aria-hidden>
        {days.map((day) => (
          <Bar key={day.day} day={day} most={most} />
        ))}
      </div>
      <div className={classes["ends"]} aria-hidden>
        <span>{dayText(days[0])}</span>
        <span>{dayText(days.at(-1))}</span>
      </div>
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

function Bar({ day, most }: { readonly day: ActivityDay; readonly most: number }) {
  const { t } = useTranslation();
  const told = ENDS.map((end) => `${t(`fate.${end}`)}: ${numberText(day[end])}`);
  return (
    <span className={classes["column"]} title={[dayText(day), ...told].join("\n")}>
      <span className={classes["bar"]} style={{ height: `${(100 * endedOf(day)) / most}%` }}>
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

/** Days are the server's, in UTC. */
function dayText(day: ActivityDay | undefined): string {
  if (day === undefined) return "";
  const style = { weekday: "short", day: "numeric", month: "short", timeZone: "UTC" } as const;
  return new Intl.DateTimeFormat(currentLanguage(), style).format(new Date(day.day));
}
