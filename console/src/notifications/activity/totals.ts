import type { ActivityDay, EndedCounts } from "@tocsin/sdk";
import { currentLocale } from "../../language/language.ts";

/** What ended, in the order in which bars are stacked. */
export const ENDS = ["delivered", "failed", "skipped"] as const;

/** What several days come to. */
export interface Totals extends EndedCounts {
  readonly sent: number;
  /** Of what was tried, from 0 to 1; null where nothing was. */
  readonly share: number | null;
}

/** Returns what several days come to. */
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

/** Returns how many deliveries ended. */
export function endedOf({ delivered, failed, skipped }: EndedCounts): number {
  return delivered + failed + skipped;
}

/** Returns a number as the reader writes it. */
export function numberText(value: number): string {
  return new Intl.NumberFormat(currentLocale()).format(value);
}
