const DAY_MS = 86_400_000;

/** Returns the day of a time, relative to today: `today`, `3 days ago`. */
export function formatLastSeen(
  seenAt: string,
  { now, language }: { readonly now: Date; readonly language: string },
): string {
  const days = Math.round((toLocalMidnightMs(new Date(seenAt)) - toLocalMidnightMs(now)) / DAY_MS);
  return new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(days, "day");
}

/** Returns midnight of the day in the reader's time zone, in milliseconds. */
function toLocalMidnightMs(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}
