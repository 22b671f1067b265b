import type { FeedItem, Sound } from "@tocsin/sdk";
import type { NewNotification } from "#delivery/delivery.ts";

/** Returns the fields of a notification that feed and delivery log share. */
export function shown(
  notification: NewNotification,
): Omit<FeedItem, "readAt" | "teamName" | "keyLabel"> {
  const { id, audience, title, body, channel, sound, link, image, timeSensitive, markdown } =
    notification;
  return {
    id,
    title,
    body,
    channel,
    // Drafts hold only the known names.
    sound: sound as Sound | null,
    link,
    image,
    timeSensitive,
    markdown,
    teamId: audience.kind === "team" ? audience.teamId : null,
    createdAt: timestamp(notification.createdAt),
  };
}

/** Returns a moment as an RFC 3339 string in UTC. */
export function timestamp(at: number): string {
  return new Date(at).toISOString();
}
