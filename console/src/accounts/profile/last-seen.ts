const DAY_MS = 86_400_000;

/** Returns the day on which something was last seen, in words: `today`, `3 days ago`. */
export function lastSeen(
  at: string,
  { now, language }: { readonly now: Date; readonly language: string },
): string {
  const days = Math.round((startOfDay(new Date(at)) - startOfDay(now)) / DAY_MS);
  return new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(days, "day");
}

/** Days begin at midnight in the reader's time zone. */
function startOfDay(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}
