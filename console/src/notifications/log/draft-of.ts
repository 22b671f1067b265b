import type { NotificationDetail } from "@tocsin/sdk";
import { wordingOf } from "../content/wording.ts";
import { EMPTY_DRAFT, type Draft } from "../send/draft.ts";

/** Returns a draft with the content and the audience of a notification. */
export function draftOf(record: NotificationDetail): Draft {
  const { audience } = record;
  return {
    ...EMPTY_DRAFT,
    ...wordingOf(record),
    to: audience.kind === "account" ? "account" : `${audience.kind}:${audience.id}`,
  };
}
