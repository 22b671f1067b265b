import type { FeedItem } from "@tocsin/sdk";
import { contentOf } from "#content/answer.ts";
import type { NewNotification } from "#delivery/delivery.ts";
import { timestamp } from "#schema/moment.ts";

/** Returns the fields that the feed and the delivery log share. */
export function sharedFields(
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
