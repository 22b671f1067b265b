import type { FeedItem } from "@tocsin/sdk";
import i18next from "i18next";

/** Returns the name of a notification's sender: its team and its key; null if neither has a name. */
export function senderOf({ teamId, teamName, keyLabel }: FeedItem): string | null {
  const team = teamId === null ? null : (teamName ?? i18next.t("feed.team"));
  // This browser may have stored some from a server that did not name keys.
  const named = [team, keyLabel].filter((name) => typeof name === "string");
  return named.length === 0 ? null : named.join(" · ");
}
