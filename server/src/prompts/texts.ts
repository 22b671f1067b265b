import { EMPTY_CONTENT, type NotificationContent } from "@tocsin/sdk";
import { cutToTitle } from "#incidents/texts.ts";
import { toAnswerText, type Answer, type AskingIncident } from "./prompt.ts";

type AskedText = Pick<AskingIncident, "title" | "channel">;

/** Returns the content of the push that replaces an answered question on the devices. */
export function createAnsweredContent(
  { title, channel }: AskedText,
  { name, answer }: { readonly name: string | null; readonly answer: Answer },
): NotificationContent {
  const author = name === null ? "Answered" : `${name} answered`;
  const heading = cutToTitle(`${author}: ${toOneLine(toAnswerText(answer))}`);
  return { ...EMPTY_CONTENT, title: heading, body: title, channel };
}

/** Returns the content of the push that replaces a question which ended without an answer. */
export function createEndedContent(
  { title, channel }: AskedText,
  end: "expired" | "cancelled",
): NotificationContent {
  const heading = end === "expired" ? "Nobody answered in time" : "Withdrawn";
  return { ...EMPTY_CONTENT, title: heading, body: title, channel };
}

function toOneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}
