import type { FeedItem } from "@tocsin/sdk";
import { pickContent } from "#content/response.ts";
import type { NewNotification } from "#delivery/delivery.ts";
import { formatTimestamp } from "#schema/timestamp.ts";

/** Returns the fields of a notification that the feed and the delivery log share. */
export function toSharedFields(
  notification: NewNotification,
): Omit<FeedItem, "readAt" | "teamName" | "keyLabel" | "incidentState" | "promptState"> {
  const { id, audience, createdAt, interaction } = notification;
  return {
    id,
    ...pickContent(notification),
    teamId: audience.kind === "team" ? audience.teamId : null,
    createdAt: formatTimestamp(createdAt),
    incidentId: interaction?.incidentId ?? null,
    promptId: interaction?.promptId ?? null,
    cause: interaction?.cause ?? null,
  };
}
