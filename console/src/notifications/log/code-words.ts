import i18next from "i18next";
import { whyKeyOf } from "./why.ts";

/** Returns in a few words what a code means at all push services together; a code of a newer server stands for itself. */
export function codeWords(code: string): string {
  if (code === "device_gone") return i18next.t("activity.deviceGone");
  // Where the words differ by push service, those of the web are the plainest.
  const key = whyKeyOf(code, "webpush");
  return key === null ? code : i18next.t(`why.${key}.title`);
}
