import i18next from "i18next";
import { whyKeyOf } from "./why.ts";

/** Returns a code's meaning at all push services, in a few words; an unknown code is returned as it is. */
export function codeWords(code: string): string {
  if (code === "device_gone") return i18next.t("activity.deviceGone");
  // If the words differ by push service, those of Web Push are the plainest.
  const key = whyKeyOf(code, "webpush");
  return key === null ? code : i18next.t(`why.${key}.title`);
}
