/** The messages that an app shows: each once, by its id. */
export class ShownMessages {
  /** The time of each message by its title, in milliseconds since the epoch. */
  readonly #shownAtByTitle = new Map<string, number>();
  readonly #ids = new Set<string>();
  /** The number after which messages are missing since a fetch of them failed; null if none are. */
  missingAfter: number | null = null;
  #lastId: string | null = null;
  #repeatedCount = 0;
  #shownTwiceCount = 0;

  /** The id of the message that was shown last; null if there is none. */
  get lastId(): string | null {
    return this.#lastId;
  }

  /** Number of messages that arrived again, and that the app recognised by their ids. */
  get repeatedCount(): number {
    return this.#repeatedCount;
  }

  /** Number of messages that were shown under a second id. */
  get shownTwiceCount(): number {
    return this.#shownTwiceCount;
  }

  /** Shows a message, unless its id is known. */
  show(id: string, title: string): void {
    if (this.#ids.has(id)) {
      this.#repeatedCount += 1;
      return;
    }
    this.#ids.add(id);
    this.#lastId = id;
    if (this.#shownAtByTitle.has(title)) this.#shownTwiceCount += 1;
    else this.#shownAtByTitle.set(title, Date.now());
  }

  /** Returns when a message was shown, in milliseconds since the epoch; null if it was not. */
  findShownAt(title: string): number | null {
    return this.#shownAtByTitle.get(title) ?? null;
  }

  /** Returns the highest of the ids, for an API whose ids are numbers; 0 if there is none. */
  findHighestNumber(): number {
    return [...this.#ids].reduce((highest, id) => Math.max(highest, Number(id)), 0);
  }

  /** Returns the time of the latest message, in milliseconds since the epoch; null if there is none. */
  findLatestAt(): number | null {
    return [...this.#shownAtByTitle.values()].at(-1) ?? null;
  }
}
