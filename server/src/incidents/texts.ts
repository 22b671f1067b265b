import { EMPTY_CONTENT, LIMITS, type NotificationContent } from "@tocsin/sdk";
import type { Incident } from "./incident.ts";

type TitledIncident = Pick<Incident, "title" | "channel">;

/** Returns the content of the push that says who acknowledged an incident. */
export function createAcknowledgementContent(
  { title, channel }: TitledIncident,
  actorName: string | null,
): NotificationContent {
  const heading = actorName === null ? "Acknowledged" : `Acknowledged by ${actorName}`;
  return { ...EMPTY_CONTENT, title: cutToTitle(heading), body: title, channel };
}

/** Returns the content of the push that says that an incident has ended. */
export function createResolutionContent({ title, channel }: TitledIncident): NotificationContent {
  return { ...EMPTY_CONTENT, title: cutToTitle(`Resolved: ${title}`), channel };
}

/** Returns the content of an incident whose text was removed by retention. */
export function createTitleContent({ title, channel }: TitledIncident): NotificationContent {
  return { ...EMPTY_CONTENT, title: cutToTitle(title === "" ? "Incident" : title), channel };
}

/** Returns a text, cut to the maximum length of a title. */
export function cutToTitle(text: string): string {
  const characters = Array.from(text);
  if (characters.length <= LIMITS.titleLength) return text;
  return `${characters.slice(0, LIMITS.titleLength - 1).join("")}…`;
}
