/** The first match counts: Edge's user agent also contains Chrome, and Chrome's also contains Safari. */
const BROWSER_PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|CriOS|Chromium)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];

const SYSTEM_PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

/** Returns the browser and operating system of a user agent, such as `Firefox on Linux`; null if both are unknown. */
export function describeUserAgent(userAgent: string | null): string | null {
  const browser = findName(BROWSER_PATTERNS, userAgent ?? "");
  const system = findName(SYSTEM_PATTERNS, userAgent ?? "");
  if (browser === null) return system;
  return system === null ? browser : `${browser} on ${system}`;
}

function findName(patterns: readonly (readonly [RegExp, string])[], text: string): string | null {
  return patterns.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}
