import { EMPTY_CONTENT, type NotificationContent } from "@tocsin/sdk";
import { cutToTitle } from "#incidents/texts.ts";
import { toAnswerText, type Answer, type AskingIncident } from "./prompt.ts";

type AskedIncident = Pick<AskingIncident, "title" | "channel">;

/** Returns the content of the push that replaces an answered prompt on the devices. */
export function createAnsweredContent(
  { title: question, channel }: AskedIncident,
  { name, answer }: { readonly name: string | null; readonly answer: Answer },
): NotificationContent {
  const author = name === null ? "Answered" : `${name} answered`;
  const title = cutToTitle(`${author}: ${toOneLine(toAnswerText(answer))}`);
  return { ...EMPTY_CONTENT, title, body: question, channel };
}

/** Returns the content of the push that replaces a prompt that ended without an answer. */
export function createEndedContent(
  { title: question, channel }: AskedIncident,
  end: "expired" | "cancelled",
): NotificationContent {
  const title = end === "expired" ? "Nobody answered in time" : "Withdrawn";
  return { ...EMPTY_CONTENT, title, body: question, channel };
}

function toOneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}
