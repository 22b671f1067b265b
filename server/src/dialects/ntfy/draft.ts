import type { NotificationContent } from "@tocsin/sdk";
import { createDraft, findUsableUrl } from "../draft.ts";
import { encodeExtras } from "../extras.ts";
import type { NtfyMessage } from "./message.ts";
import { NTFY_PRIORITY_DEFAULT, toPriority } from "./priority.ts";
import { addEmoji } from "./tags.ts";

/** The notification for a message in ntfy's API. */
export interface NtfyDraft {
  readonly draft: NotificationContent;
  /** The parts that only some devices can show, as JSON; null if there are none. */
  readonly extras: string | null;
  /** The names of the parameters with URLs that a notification must not contain. */
  readonly ignoredFields: readonly string[];
}

/** Returns the notification for a message. A `channel` of null stands for the default one. */
export function createNtfyDraft(message: NtfyMessage, channel: string | null): NtfyDraft {
  const { title, text, tags, isMarkdown } = message;
  const priority = toPriority(message.priority ?? NTFY_PRIORITY_DEFAULT);
  const draft = createDraft({
    title: addEmoji(title, tags),
    body: text,
    channel,
    ...selectUrls(message),
    priority,
    timeSensitive: priority === "high",
    markdown: isMarkdown,
  });
  return { draft, extras: createExtras(message), ignoredFields: listUnusableUrls(message) };
}

/** Pictures that every browser shows. */
const PICTURE_PATH = /\.(?:avif|bmp|gif|jpe?g|png|webp)$/i;

/** The link is the click, otherwise the attachment unless it is a picture, otherwise the first action that opens a page. */
function selectUrls({ click, icon, attachment, actions }: NtfyMessage) {
  const attach = attachment?.url ?? null;
  const isPicture = attach !== null && PICTURE_PATH.test(URL.parse(attach)?.pathname ?? "");
  const view = actions.find(({ action }) => action === "view")?.url ?? null;
  return {
    link: findUsableUrl("link", [click, isPicture ? null : attach, view]),
    image: isPicture ? attach : null,
    icon,
  };
}

function listUnusableUrls({ click, icon, attachment }: NtfyMessage): readonly string[] {
  const urls = { click, icon, attach: attachment?.url ?? "" };
  return Object.entries(urls).flatMap(([name, url]) => {
    const field = name === "click" ? "link" : "image";
    return url !== "" && findUsableUrl(field, [url]) === null ? [name] : [];
  });
}

function createExtras({ priority, tags, actions, attachment, sequenceId }: NtfyMessage) {
  return encodeExtras({
    ...(priority === null ? {} : { priority }),
    ...(sequenceId === "" ? {} : { sequenceId }),
    ...(attachment === null ? {} : { attachment }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(actions.length === 0 ? {} : { actions }),
  });
}
