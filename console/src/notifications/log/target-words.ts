import type { NotificationRecord } from "@tocsin/sdk";
import i18next from "i18next";

/** Returns the audience of a notification, in words. */
export function targetWords({ audience: { kind, name } }: Pick<NotificationRecord, "audience">) {
  const named = { name: name ?? i18next.t("log.removedName") };
  switch (kind) {
    case "account":
      return i18next.t("log.toAccount");
    case "team":
      return i18next.t("log.toTeam", named);
    case "group":
      return i18next.t("log.toGroup", named);
    case "device":
      return i18next.t("log.toDevice", named);
  }
}

/** Returns the key that sent a notification, in words. */
export function keyWords({ key }: Pick<NotificationRecord, "key">): string {
  if (key === null) return i18next.t("log.byConsole");
  if (key.label !== null && key.label !== "") return key.label;
  return i18next.t("log.byKey", { hint: key.hint });
}
