import type { FeedItem } from "@tocsin/sdk";
import { STATE_STYLES } from "./incident/format.ts";
import { formatLocalTime } from "./local-time.ts";
import { sanitize, type Terminal } from "./terminal.ts";

const BODY_MAX_CHARACTERS = 240;

/** Returns a notification as one line: time, channel, the state of its incident, text and link. */
export function formatNotification(item: FeedItem, style: Terminal["style"]): string {
  const { title, body, channel, link, createdAt, timeSensitive, priority } = item;
  const isUrgent = timeSensitive || priority === "high" || priority === "emergency";
  const mark = formatIncidentMark(item, style);
  const heading = style(isUrgent ? "red" : "bold", sanitize(title));
  const text = shorten(sanitize(body));
  return [
    style("dim", formatLocalTime(createdAt)),
    sanitize(channel),
    `${mark}${[heading, text].filter((part) => part !== "").join(": ")}`,
    ...(link === null ? [] : [style("dim", `<${sanitize(link)}>`)]),
  ].join("  ");
}

/** Returns the state of the incident in brackets. A server of an earlier version sends none. */
function formatIncidentMark({ incidentState }: FeedItem, style: Terminal["style"]): string {
  if (typeof incidentState !== "string") return "";
  return `${style(STATE_STYLES[incidentState], `[${sanitize(incidentState)}]`)} `;
}

/** Cuts the text between grapheme clusters, never within one. */
function shorten(text: string): string {
  if (text.length <= BODY_MAX_CHARACTERS) return text;
  const characters = Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
  if (characters.length <= BODY_MAX_CHARACTERS) return text;
  return `${characters.slice(0, BODY_MAX_CHARACTERS).join("")}…`;
}
