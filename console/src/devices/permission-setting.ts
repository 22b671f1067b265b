/** The kind of settings that unblock notifications. */
export type PermissionSettingKind = "ios" | "android" | "firefox" | "chromium" | "safari" | "other";

/** Returns which settings unblock notifications in the browser with this user agent. */
export function findPermissionSettingKind(
  userAgent: string,
  { isAppleMobile }: { readonly isAppleMobile: boolean },
): PermissionSettingKind {
  if (isAppleMobile) return "ios";
  if (/\bAndroid\b/.test(userAgent)) return "android";
  if (/\bFirefox\//.test(userAgent)) return "firefox";
  if (/\b(?:Headless)?Chrom(?:e|ium)\//.test(userAgent)) return "chromium";
  return /\bSafari\//.test(userAgent) ? "safari" : "other";
}
