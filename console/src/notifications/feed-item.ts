import type { FeedItem } from "@tocsin/sdk";
import { actionButton } from "../page/action-button.ts";
import { make, makeButton, makeTime, type Child } from "../page/make.ts";
import type { Status } from "../page/status.ts";
import { webUrlOf } from "./link.ts";

/** A longer body is folded. */
const BODY_SHOWN_LENGTH = 600;

export interface FeedItemOptions {
  /** The address of the page asked for this one. */
  readonly isOpened: boolean;
  readonly status: Status;
  readonly markRead: () => Promise<void>;
}

/** Returns a notification of the feed; its texts are never read as markup and its image is never fetched. */
export function feedItem(item: FeedItem, options: FeedItemOptions): HTMLElement {
  const { isOpened, status, markRead } = options;
  const isUnread = item.readAt === null;
  const titleId = `title-${item.id}`;
  const title = item.title === "" ? "Notification" : item.title;
  const markButton = actionButton({
    label: "Mark as read",
    className: "small",
    status,
    run: markRead,
  });
  markButton.setAttribute("aria-label", `Mark as read: ${title}`);
  const markQuietly = () => void markRead().catch((error: unknown) => status.fail(error));
  return make(
    "article",
    {
      class: `card item${isUnread ? " unread" : ""}${isOpened ? " opened" : ""}`,
      tabindex: "-1",
      "data-notification": item.id,
      "aria-labelledby": titleId,
    },
    make("div", { class: "meta" }, ...metaOf(item)),
    make("h3", { id: titleId, dir: "auto" }, title),
    ...bodyOf(item.body, isOpened),
    make(
      "div",
      { class: "row" },
      ...linksOf(item, { isOpened, onFollow: markQuietly }),
      isUnread ? markButton : null,
    ),
  );
}

function metaOf({ createdAt, channel, timeSensitive, teamId, readAt }: FeedItem): readonly Child[] {
  return [
    readAt === null ? make("span", { class: "badge new" }, "new") : null,
    make("span", { class: "badge" }, channel),
    timeSensitive ? make("span", { class: "badge" }, "time-sensitive") : null,
    teamId === null ? null : make("span", { class: "badge" }, "team"),
    makeTime(createdAt),
  ];
}

function bodyOf(body: string, isOpened: boolean): readonly Child[] {
  if (body === "") return [];
  const text = make("p", { class: "body", dir: "auto" }, body);
  if (isOpened || body.length <= BODY_SHOWN_LENGTH) return [text];
  text.textContent = `${body.slice(0, BODY_SHOWN_LENGTH).toWellFormed()}…`;
  const more = makeButton("Show all", {
    className: "link",
    onClick: () => {
      text.textContent = body;
      more.remove();
    },
  });
  return [text, more];
}

function linksOf(
  { link, image }: FeedItem,
  { isOpened, onFollow }: { readonly isOpened: boolean; readonly onFollow: () => void },
): readonly Child[] {
  const url = webUrlOf(link);
  const imageUrl = webUrlOf(image);
  const className = isOpened ? "button primary" : "button small";
  return [
    url === null ? null : anchor({ url, text: `Open ${url.host}`, className, onFollow }),
    url === null && link !== null ? make("code", { class: "plain-link" }, link) : null,
    imageUrl === null
      ? null
      : anchor({ url: imageUrl, text: `Image on ${imageUrl.host}`, className: "quiet", onFollow }),
  ];
}

interface Anchor {
  readonly url: URL;
  readonly text: string;
  readonly className: string;
  readonly onFollow: () => void;
}

function anchor({ url, text, className, onFollow }: Anchor): HTMLAnchorElement {
  const element = make(
    "a",
    { href: url.href, class: className, target: "_blank", rel: "noopener noreferrer" },
    text,
  );
  element.addEventListener("click", onFollow);
  return element;
}
