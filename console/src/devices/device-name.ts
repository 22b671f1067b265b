/** Returns the part of a device's name after the owner: iPhone, iPad, or the browser and its system. */
export function toProductName(userAgent: string): string {
  const system = findFirstMatch(SYSTEMS, userAgent);
  return system === "iPhone" || system === "iPad" ? system : formatBrowserName(userAgent);
}

/** Returns the owner's part of a device's name: the first word of an account's name, or empty if that is too long. */
export function toOwnerName(name: string): string {
  const [firstWord = ""] = name.trim().split(/\s+/);
  return firstWord.length > OWNER_LENGTH_MAX ? "" : firstWord;
}

/** Maximum length of the owner's part, in characters. A whole device name has at most 80. */
const OWNER_LENGTH_MAX = 30;

/** Returns a recognisable name of a browser from its user agent, such as `Firefox on Linux`. */
export function formatBrowserName(userAgent: string): string {
  const browser = findFirstMatch(BROWSERS, userAgent) ?? "Browser";
  const system = findFirstMatch(SYSTEMS, userAgent);
  return system === null ? browser : `${browser} on ${system}`;
}

/** The first match applies. Most user agents also contain the names of browsers further down. */
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

function findFirstMatch(
  patterns: readonly (readonly [RegExp, string])[],
  userAgent: string,
): string | null {
  return patterns.find(([pattern]) => pattern.test(userAgent))?.[1] ?? null;
}
