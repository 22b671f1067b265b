import type { Activity } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { getCurrentLocale } from "../../language/language.ts";
import { formatDuration } from "../log/format-duration.ts";
import classes from "./activity.module.css";
import { formatNumber, computeTotals } from "./totals.ts";

/** The key figures of the activity. */
export function ActivityTiles({ activity }: { readonly activity: Activity }) {
  const { t } = useTranslation();
  const { handOverMs, waiting, queue } = activity;
  const { sent, delivered, failed, share } = computeTotals(activity.days);
  return (
    <dl className={classes["tiles"]}>
      <Tile name={t("activity.sent")} value={formatNumber(sent)} />
      <Tile
        name={t("activity.share")}
        value={share === null ? "–" : formatPercent(share)}
        detail={t("activity.shareMore", {
          delivered: formatNumber(delivered),
          failed: formatNumber(failed),
        })}
      />
      <Tile
        name={t("activity.handOver")}
        value={handOverMs === null ? "–" : formatDuration(handOverMs.p50)}
        {...(handOverMs !== null && {
          detail: t("activity.handOverMore", { time: formatDuration(handOverMs.p95) }),
        })}
      />
      <Tile name={t("activity.waiting")} value={formatNumber(waiting)} />
      {queue !== null && (
        <Tile
          name={t("activity.queue")}
          value={formatNumber(queue.jobs)}
          detail={t("activity.queueMore", {
            due: formatNumber(queue.due),
            time: formatDuration(queue.oldestDueMs),
          })}
        />
      )}
    </dl>
  );
}

function formatPercent(share: number): string {
  // Rounds down, so that only a complete share is 100 %.
  const style = { style: "percent", maximumFractionDigits: 1, roundingMode: "floor" } as const;
  return new Intl.NumberFormat(getCurrentLocale(), style).format(share);
}

interface TileProps {
  readonly name: string;
  readonly value: string;
  readonly detail?: string;
}

function Tile({ name, value, detail }: TileProps) {
  return (
    <div className={classes["tile"]}>
      <dt>{name}</dt>
      <dd className={classes["value"]}>{value}</dd>
      {detail !== undefined && <dd className={classes["hint"]}>{detail}</dd>}
    </div>
  );
}
