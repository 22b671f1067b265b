import type { NotificationDetail } from "@tocsin/sdk";
import { toFormContent } from "../content/form-content.ts";
import { EMPTY_DRAFT, type Draft } from "../send/draft.ts";

/** Returns a draft with the content of a notification, addressed to the same audience. */
export function toDraft(record: NotificationDetail): Draft {
  const { audience } = record;
  return {
    ...EMPTY_DRAFT,
    ...toFormContent(record),
    to: audience.kind === "account" ? "account" : `${audience.kind}:${audience.id}`,
  };
}
