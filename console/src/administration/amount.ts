const UNITS = ["kB", "MB", "GB", "TB"] as const;
const THOUSAND = 1_000;

/** Returns a size in readable form, such as `1.2 GB`. */
export function sizeOf(bytes: number, language: string): string {
  let amount = bytes / THOUSAND;
  let unit = 0;
  while (amount >= THOUSAND && unit < UNITS.length - 1) {
    amount /= THOUSAND;
    unit += 1;
  }
  const digits = { maximumFractionDigits: amount < 10 ? 1 : 0 };
  return `${new Intl.NumberFormat(language, digits).format(amount)} ${UNITS[unit] ?? ""}`;
}

/** Returns the difference of two times in seconds; each is an RFC 3339 string or a Unix time in milliseconds. */
export function secondsBetween(one: string | number, other: string | number): number {
  return Math.round(Math.abs(new Date(one).getTime() - new Date(other).getTime()) / THOUSAND);
}
