import type { ActivityDay, EndedCounts } from "@tocsin/sdk";
import { currentLocale } from "../../language/language.ts";

/** Final outcomes, in the order in which bars stack them. */
export const ENDS = ["delivered", "failed", "skipped"] as const;

/** Totals of several days. */
export interface Totals extends EndedCounts {
  readonly sent: number;
  /** Delivered share of the attempted deliveries, from 0 to 1; null if there were none. */
  readonly share: number | null;
}

/** Returns the totals of several days. */
export function totalsOf(days: readonly ActivityDay[]): Totals {
  const sum = (of: (day: ActivityDay) => number) => days.reduce((all, day) => all + of(day), 0);
  const [delivered, failed] = [sum((day) => day.delivered), sum((day) => day.failed)];
  return {
    sent: sum((day) => day.sent),
    delivered,
    failed,
    skipped: sum((day) => day.skipped),
    share: delivered + failed === 0 ? null : delivered / (delivered + failed),
  };
}

/** Returns the number of deliveries that ended. */
export function endedOf({ delivered, failed, skipped }: EndedCounts): number {
  return delivered + failed + skipped;
}

/** Returns a number in the reader's locale. */
export function numberText(value: number): string {
  return new Intl.NumberFormat(currentLocale()).format(value);
}
