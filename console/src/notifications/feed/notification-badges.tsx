import { Badge } from "@mantine/core";
import type { FeedItem } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { PriorityBadge } from "./priority-badge.tsx";

/** Badges for a notification's channel, for an urgent notification, and for one of a team. */
export function NotificationBadges({ item }: { readonly item: FeedItem }) {
  const { t } = useTranslation();
  const { channel, timeSensitive, priority, teamId } = item;
  return (
    <>
      <Badge size="sm" variant="default">
        {channel}
      </Badge>
      <PriorityBadge priority={priority} />
      {timeSensitive && (
        <Badge size="sm" variant="light" color="red">
          {t("feed.timeSensitive")}
        </Badge>
      )}
      {teamId !== null && (
        <Badge size="sm" variant="default">
          {t("feed.team")}
        </Badge>
      )}
    </>
  );
}
