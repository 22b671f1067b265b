/**
 * Returns the part of a device's name that follows the owner: an iPhone or iPad is called that, whatever its browser.
 */
export function thingOf(userAgent: string): string {
  const system = firstMatch(SYSTEMS, userAgent);
  return system === "iPhone" || system === "iPad" ? system : deviceNameOf(userAgent);
}

/** Returns the owner's part of a device's name: the first word, or an empty string if that is too long. */
export function calledOf(name: string): string {
  const [first = ""] = name.trim().split(/\s+/);
  return first.length > OWNER_LENGTH_MAX ? "" : first;
}

/** Longest owner's part, in characters: a device's whole name has at most 80. */
const OWNER_LENGTH_MAX = 30;

/** Returns a browser's name from its user agent, for its owner to recognise in a list: `Firefox on Linux`. */
export function deviceNameOf(userAgent: string): string {
  const browser = firstMatch(BROWSERS, userAgent) ?? "Browser";
  const system = firstMatch(SYSTEMS, userAgent);
  return system === null ? browser : `${browser} on ${system}`;
}

/** The first match counts: most browsers also claim to be those further down. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(e|A|iOS)?\//, "Edge"],
  [/\bOP(R|T|X)\//, "Opera"],
  [/\bVivaldi\//, "Vivaldi"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(Firefox|FxiOS)\//, "Firefox"],
  [/\b(Headless)?Chrom(e|ium)\/|\bCriOS\//, "Chrome"],
  [/\bSafari\/|\bAppleWebKit\//, "Safari"],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bMac OS X\b|\bMacintosh\b/, "Mac"],
  [/\bLinux\b/, "Linux"],
];

function firstMatch(
  names: readonly (readonly [RegExp, string])[],
  userAgent: string,
): string | null {
  return names.find(([pattern]) => pattern.test(userAgent))?.[1] ?? null;
}
