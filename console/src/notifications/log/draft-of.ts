import type { NotificationDetail } from "@tocsin/sdk";
import { EMPTY_DRAFT, type Draft } from "../send/draft.ts";

/** Returns a draft with the content and the audience of a notification. */
export function draftOf(record: NotificationDetail): Draft {
  const { title, body, sound, channel, link, image, timeSensitive, markdown, audience } = record;
  return {
    ...EMPTY_DRAFT,
    title,
    body,
    channel,
    sound: sound ?? "",
    link: link ?? "",
    image: image ?? "",
    isTimeSensitive: timeSensitive,
    isMarkdown: markdown,
    to: audience.kind === "account" ? "account" : `${audience.kind}:${audience.id}`,
  };
}
