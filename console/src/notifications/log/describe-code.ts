import i18next from "i18next";
import { findExplanationKey } from "./explain-delivery.ts";

/** Returns a short description of a result code that is true for every push service; an unknown code unchanged. */
export function describeCode(code: string): string {
  if (code === "device_gone") return i18next.t("activity.deviceGone");
  // If the push services have different descriptions, that of Web Push is the most general.
  const key = findExplanationKey(code, "webpush");
  return key === null ? code : i18next.t(`explanation.${key}.title`);
}
