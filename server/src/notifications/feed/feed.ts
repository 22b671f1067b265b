import type { FeedItem } from "@tocsin/sdk";
import { contentOf } from "#content/answer.ts";
import type { NewNotification } from "#delivery/delivery.ts";
import { timestamp } from "#schema/moment.ts";

/** Returns the fields of a notification that feed and delivery log share. */
export function shown(
  notification: NewNotification,
): Omit<FeedItem, "readAt" | "teamName" | "keyLabel"> {
  const { id, audience, createdAt } = notification;
  return {
    id,
    ...contentOf(notification),
    teamId: audience.kind === "team" ? audience.teamId : null,
    createdAt: timestamp(createdAt),
  };
}
