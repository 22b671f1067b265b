/** Place where a person can allow notifications again after blocking them. */
export type BlockPlace = "homeScreen" | "android" | "firefox" | "chromium" | "safari" | "other";

/** Returns the place where the browser with a user agent keeps blocked permissions. */
export function blockPlaceOf(
  userAgent: string,
  { isAppleMobile }: { readonly isAppleMobile: boolean },
): BlockPlace {
  if (isAppleMobile) return "homeScreen";
  if (/\bAndroid\b/.test(userAgent)) return "android";
  if (/\bFirefox\//.test(userAgent)) return "firefox";
  if (/\b(?:Headless)?Chrom(?:e|ium)\//.test(userAgent)) return "chromium";
  return /\bSafari\//.test(userAgent) ? "safari" : "other";
}
