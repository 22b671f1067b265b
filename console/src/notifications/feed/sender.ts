import type { FeedItem } from "@tocsin/sdk";
import i18next from "i18next";

/** Returns who sent a notification, as people call them: its team and its key; null where neither has a name. */
export function senderOf({ teamId, teamName, keyLabel }: FeedItem): string | null {
  const team = teamId === null ? null : (teamName ?? i18next.t("feed.team"));
  // This browser may have kept some from a server that named no keys.
  const named = [team, keyLabel].filter((name) => typeof name === "string");
  return named.length === 0 ? null : named.join(" · ");
}
