/** Returns what stands behind the owner in a device's name: an iPhone or iPad is one, whatever its browser. */
export function thingOf(userAgent: string): string {
  const system = firstMatch(SYSTEMS, userAgent);
  return system === "iPhone" || system === "iPad" ? system : deviceNameOf(userAgent);
}

/** Returns how a person is called in the name of a device: by the first word, where it is not too long. */
export function calledOf(name: string): string {
  const [first = ""] = name.trim().split(/\s+/);
  return first.length > OWNER_LENGTH_MAX ? "" : first;
}

/** A device's name holds 80 characters in all. */
const OWNER_LENGTH_MAX = 30;

/** Returns a name for a browser that its owner recognises in a list, from its user agent: `Firefox on Linux`. */
export function deviceNameOf(userAgent: string): string {
  const browser = firstMatch(BROWSERS, userAgent) ?? "Browser";
  const system = firstMatch(SYSTEMS, userAgent);
  return system === null ? browser : `${browser} on ${system}`;
}

/** The first that fits: most browsers claim to be those further down as well. */
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
