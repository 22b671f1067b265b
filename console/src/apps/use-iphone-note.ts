import { useTranslation } from "react-i18next";
import { useNtfyUpstream } from "../keys/dialects-query.ts";

/** Returns the sentence that says how the app of ntfy on an iPhone gets notifications: when it looks, or when it is woken. */
export function useIphoneNote(): string {
  const { t } = useTranslation();
  const host = useNtfyUpstream();
  return host === null ? t("app.rare") : t("app.woken", { host });
}
