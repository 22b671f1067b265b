const UNITS = ["kB", "MB", "GB", "TB"] as const;
const THOUSAND = 1_000;

/** Returns a size as text in decimal units, such as `1.2 GB`. */
export function formatSize(bytes: number, language: string): string {
  let amount = bytes / THOUSAND;
  let unitIndex = 0;
  while (amount >= THOUSAND && unitIndex < UNITS.length - 1) {
    amount /= THOUSAND;
    unitIndex += 1;
  }
  const digits = { maximumFractionDigits: amount < 10 ? 1 : 0 };
  return `${new Intl.NumberFormat(language, digits).format(amount)} ${UNITS[unitIndex] ?? ""}`;
}
