import type { FeedItem } from "@tocsin/sdk";
import i18next from "i18next";

/**
 * Returns the names of the team and the API key that sent a notification; null if there is no team and the key has no
 * label.
 */
export function formatSender({ teamId, teamName, keyLabel }: FeedItem): string | null {
  const team = teamId === null ? null : (teamName ?? i18next.t("feed.team"));
  // Notifications that an earlier version stored in this browser have no key label.
  const names = [team, keyLabel].filter((name) => typeof name === "string");
  return names.length === 0 ? null : names.join(" · ");
}
