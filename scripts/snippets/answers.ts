/** Differences between an answer that a document shows and a real one, a line each. */
export function differences(shown: unknown, real: unknown, at = "the answer"): readonly string[] {
  if (Array.isArray(shown) && Array.isArray(real)) {
    if (shown.length !== real.length) {
      return [`${at} has ${real.length} elements, not ${shown.length}`];
    }
    return shown.flatMap((one, index) => differences(one, real[index], `${at}[${index}]`));
  }
  if (isRecord(shown) && isRecord(real)) {
    const names = new Set([...Object.keys(shown), ...Object.keys(real)]);
    return [...names].flatMap((name) => {
      const place = at === "the answer" ? name : `${at}.${name}`;
      if (!(name in shown)) return [`${place} is in the real answer`];
      if (!(name in real)) return [`${place} is not in the real answer`];
      return differences(shown[name], real[name], place);
    });
  }
  if (shown === real || isAlike(shown, real)) return [];
  return [`${at} is ${JSON.stringify(real)}, not ${JSON.stringify(shown)}`];
}

/** `<id>` stands for any text; ids and moments differ each time. */
function isAlike(shown: unknown, real: unknown): boolean {
  if (typeof shown !== "string" || typeof real !== "string") return false;
  return /^<[^>]+>$/u.test(shown) || CHANGING.some((form) => form.test(shown) && form.test(real));
}

const CHANGING = [/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/u];

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
