import type { Activity } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { currentLocale } from "../../language/language.ts";
import { durationText } from "../log/duration.ts";
import classes from "./activity.module.css";
import { numberText, totalsOf } from "./totals.ts";

/** Key figures of the activity. */
export function Tiles({ activity }: { readonly activity: Activity }) {
  const { t } = useTranslation();
  const { handOverMs, waiting, queue } = activity;
  const { sent, delivered, failed, share } = totalsOf(activity.days);
  return (
    <dl className={classes["tiles"]}>
      <Tile name={t("activity.sent")} value={numberText(sent)} />
      <Tile
        name={t("activity.share")}
        value={share === null ? "–" : percentText(share)}
        more={t("activity.shareMore", {
          delivered: numberText(delivered),
          failed: numberText(failed),
        })}
      />
      <Tile
        name={t("activity.handOver")}
        value={handOverMs === null ? "–" : durationText(handOverMs.p50)}
        {...(handOverMs !== null && {
          more: t("activity.handOverMore", { time: durationText(handOverMs.p95) }),
        })}
      />
      <Tile name={t("activity.waiting")} value={numberText(waiting)} />
      {queue !== null && (
        <Tile
          name={t("activity.queue")}
          value={numberText(queue.jobs)}
          more={t("activity.queueMore", {
            due: numberText(queue.due),
            time: durationText(queue.oldestDueMs),
          })}
        />
      )}
    </dl>
  );
}

function percentText(share: number): string {
  // Rounded down: anything less than all must not look like all.
  const style = { style: "percent", maximumFractionDigits: 1, roundingMode: "floor" } as const;
  return new Intl.NumberFormat(currentLocale(), style).format(share);
}

interface TileProps {
  readonly name: string;
  readonly value: string;
  readonly more?: string;
}

function Tile({ name, value, more }: TileProps) {
  return (
    <div className={classes["tile"]}>
      <dt>{name}</dt>
      <dd className={classes["value"]}>{value}</dd>
      {more !== undefined && <dd className={classes["hint"]}>{more}</dd>}
    </div>
  );
}
