import { RecentMap } from "#concurrency/recent-map.ts";
import type { DatabaseContext } from "#context.ts";
import type { MailboxMessage } from "./app.ts";
import { findStoredMessages, type MailboxEntry, type StoredMessage } from "./store/read.ts";

/** Maximum number of cached contents: a notification to a large audience is written to thousands of apps in a row. */
const CACHED_MAX = 200;

/** Loads the contents of messages, and caches the most recently used ones. */
export class MessageLoader {
  readonly #context: DatabaseContext;
  readonly #cache = new RecentMap<string, Promise<StoredMessage | null>>(CACHED_MAX);

  constructor(context: DatabaseContext) {
    this.#context = context;
  }

  /** Returns the messages of entries, in the order of the entries. Messages of deleted notifications are omitted. */
  async load(entries: readonly MailboxEntry[]): Promise<readonly MailboxMessage[]> {
    const found = new Map<string, Promise<StoredMessage | null>>();
    const missing = new Set<string>();
    for (const { notificationId: id } of entries) {
      const cached = this.#cache.get(id);
      if (cached === undefined) missing.add(id);
      else found.set(id, cached);
    }
    const loaded = findStoredMessages(this.#context, [...missing]);
    // The loaded contents may evict the cached ones, which `found` already has.
    for (const id of missing) found.set(id, this.#add(id, loaded));
    await loaded;
    const messages = await Promise.all(
      entries.map(async ({ number, notificationId }) => {
        const content = (await found.get(notificationId)) ?? null;
        return content === null ? null : { ...content, number };
      }),
    );
    return messages.filter((message) => message !== null);
  }

  #add(
    id: string,
    loaded: Promise<ReadonlyMap<string, StoredMessage>>,
  ): Promise<StoredMessage | null> {
    const content = loaded.then((contents) => contents.get(id) ?? null);
    this.#cache.set(id, content);
    // A failure or a missing notification is not remembered.
    content.then(
      (stored) => stored === null && this.#cache.delete(id),
      () => this.#cache.delete(id),
    );
    return content;
  }
}
