import i18next from "i18next";
import { findExplanationKey } from "./explain-delivery.ts";

/** Returns a short description of a code that fits all push services. Returns an unknown code unchanged. */
export function describeCode(code: string): string {
  if (code === "device_gone") return i18next.t("activity.deviceGone");
  // If the descriptions differ by push service, the one for Web Push is the most general.
  const key = findExplanationKey(code, "webpush");
  return key === null ? code : i18next.t(`explanation.${key}.title`);
}
