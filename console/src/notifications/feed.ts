import type { FeedItem } from "@tocsin/sdk";
import { client } from "../client.ts";
import { curlCommand, KEY_PLACEHOLDER } from "../keys/curl.ts";
import { actionButton } from "../page/action-button.ts";
import { copyable } from "../page/copyable.ts";
import { fill } from "../page/make.ts";
import { feedItem } from "./feed-item.ts";
import { NO_ITEMS, withItems, withNewestPage, withOlderPage } from "./feed-items.ts";
import { feedList } from "./feed-list.ts";
import { makeFeedParts } from "./feed-parts.ts";
import { findInFeed } from "./find-in-feed.ts";

const PAGE_LENGTH = 30;

/** The part of the page with the notifications that reached the account; it says that it loads until refreshed. */
export class Feed {
  readonly #parts = makeFeedParts();
  readonly element = this.#parts.element;
  readonly #list = feedList((item) => this.#draw(item, false));
  readonly #top = feedList((item) => this.#draw(item, true));
  readonly #markAll: HTMLButtonElement;
  #feed = NO_ITEMS;
  /** The one that the page's address names, above all others. */
  #opened: FeedItem | null = null;

  constructor() {
    const { status, actions, lists, more } = this.#parts;
    this.#markAll = actionButton({
      label: "Mark all as read",
      className: "small",
      status,
      run: () => this.#markAllRead(),
    });
    this.#markAll.hidden = true;
    actions.append(this.#markAll);
    fill(lists, this.#top.element, this.#list.element);
    fill(more, actionButton({ label: "Load more", status, run: () => this.#loadMore() }));
    this.useKey(null);
  }

  /** Asks the server for the newest ones. */
  async refresh(): Promise<void> {
    try {
      const page = await client.feed.list({ limit: PAGE_LENGTH });
      this.#feed = withNewestPage(this.#feed, page);
      this.#parts.loading.hidden = true;
      this.#show();
    } catch (error) {
      this.#parts.loading.hidden = true;
      this.#parts.status.fail(error);
    }
  }

  /** Takes in a notification that came or changed. */
  take(item: FeedItem): void {
    const isKnown = this.#feed.items.some(({ id }) => id === item.id);
    if (!isKnown && item.readAt === null) {
      this.#parts.said.textContent = `New notification: ${item.title}`;
    }
    this.#put([item]);
  }

  /** Shows one notification on top, with its link, and marks it as read; null shows none. */
  async open(id: string | null): Promise<void> {
    const { status } = this.#parts;
    try {
      status.clear();
      this.#opened = id === null ? null : await findInFeed(this.#feed.items, id);
      this.#show();
      if (this.#opened === null) {
        if (id !== null) status.say("This notification is no longer in your feed.");
        return;
      }
      this.#focusOpened();
      if (this.#opened.readAt === null) await this.#markRead(this.#opened);
    } catch (error) {
      status.fail(error);
    }
  }

  /** Offers the command of the empty feed with a key, which is known only now; null for none. */
  useKey(key: string | null): void {
    const { hint, command } = this.#parts;
    hint.textContent =
      key === null
        ? "Make an API key on this page, then send your first notification:"
        : "Send your first notification:";
    fill(command, copyable("command", curlCommand(location.origin, key ?? KEY_PLACEHOLDER)));
  }

  /** Tells whether notifications come to the page by themselves. */
  setLive(isLive: boolean): void {
    const { live } = this.#parts;
    live.textContent = isLive ? "Live" : "Connecting…";
    live.classList.toggle("on", isLive);
  }

  #show(): void {
    const { empty, loading, more } = this.#parts;
    const { items, nextCursor } = this.#feed;
    const opened = this.#opened === null ? [] : [this.#opened];
    this.#top.show(opened);
    this.#list.show(items.filter(({ id }) => id !== this.#opened?.id));
    empty.hidden = !loading.hidden || items.length + opened.length > 0;
    more.hidden = nextCursor === null;
    this.#markAll.hidden = items.every(({ readAt }) => readAt !== null);
  }

  #put(changed: readonly FeedItem[]): void {
    this.#feed = withItems(this.#feed, changed);
    this.#opened = changed.find(({ id }) => id === this.#opened?.id) ?? this.#opened;
    this.#show();
  }

  #draw(item: FeedItem, isOpened: boolean): HTMLElement {
    const { status } = this.#parts;
    return feedItem(item, { isOpened, status, markRead: () => this.#markRead(item) });
  }

  async #markRead(item: FeedItem): Promise<void> {
    await client.feed.markRead({ ids: [item.id] });
    const asRead = { ...item, readAt: readNow() };
    // An older one that was only opened stays out of the list, which has no gaps.
    if (this.#feed.items.some(({ id }) => id === item.id)) this.#put([asRead]);
    else this.#opened = asRead;
    this.#show();
  }

  async #markAllRead(): Promise<void> {
    const newest = this.#feed.items[0];
    if (newest === undefined) return;
    await client.feed.markRead({ upTo: newest.id });
    const readAt = readNow();
    const unread = this.#feed.items.filter((item) => item.readAt === null && item.id <= newest.id);
    this.#put(unread.map((item) => ({ ...item, readAt })));
  }

  async #loadMore(): Promise<void> {
    const cursor = this.#feed.nextCursor;
    if (cursor === null) return;
    const page = await client.feed.list({ limit: PAGE_LENGTH, cursor });
    this.#feed = withOlderPage(this.#feed, page);
    this.#show();
  }

  #focusOpened(): void {
    const article = this.#top.element.querySelector("article");
    article?.focus();
    article?.scrollIntoView({ block: "nearest" });
  }
}

/** Until the live stream brings the server's own moment. */
function readNow(): string {
  return new Date().toISOString();
}
