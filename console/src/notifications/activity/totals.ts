import type { ActivityDay, EndedCounts } from "@tocsin/sdk";
import { getCurrentLocale } from "../../language/language.ts";

/** The groups of final delivery states, in the stacking order of bars. */
export const FINAL_GROUPS = ["delivered", "failed", "skipped"] as const;

/** The totals of several days. */
export interface Totals extends EndedCounts {
  readonly sent: number;
  /** The share of attempted deliveries that succeeded, from 0 to 1; null if there were none. */
  readonly share: number | null;
}

/** Returns the totals of several days. */
export function computeTotals(days: readonly ActivityDay[]): Totals {
  const sum = (getCount: (day: ActivityDay) => number) =>
    days.reduce((total, day) => total + getCount(day), 0);
  const delivered = sum((day) => day.delivered);
  const failed = sum((day) => day.failed);
  return {
    sent: sum((day) => day.sent),
    delivered,
    failed,
    skipped: sum((day) => day.skipped),
    share: delivered + failed === 0 ? null : delivered / (delivered + failed),
  };
}

/** Returns the number of ended deliveries. */
export function countEndedDeliveries({ delivered, failed, skipped }: EndedCounts): number {
  return delivered + failed + skipped;
}

/** Returns a number in the reader's locale. */
export function formatNumber(value: number): string {
  return new Intl.NumberFormat(getCurrentLocale()).format(value);
}
