import type { NotificationRecord } from "@tocsin/sdk";
import i18next from "i18next";

/** Returns a description of a notification's audience. */
export function describeAudience({
  audience: { kind, name },
}: Pick<NotificationRecord, "audience">) {
  const values = { name: name ?? i18next.t("log.removedName") };
  switch (kind) {
    case "account":
      return i18next.t("log.toAccount");
    case "team":
      return i18next.t("log.toTeam", values);
    case "group":
      return i18next.t("log.toGroup", values);
    case "device":
      return i18next.t("log.toDevice", values);
  }
}

/** Returns a description of the API key that sent a notification. */
export function describeKey({ key }: Pick<NotificationRecord, "key">): string {
  if (key === null) return i18next.t("log.byConsole");
  if (key.label !== null && key.label !== "") return key.label;
  return i18next.t("log.byKey", { hint: key.hint });
}
