import type { LiveData, LiveEventKind } from "@tocsin/sdk";
import { leastIdAt, timeOf } from "#ids.ts";

/** An event, and the accounts that may see it. */
export interface HubEvent {
  /** Sorts by time. */
  readonly id: string;
  readonly kind: LiveEventKind;
  readonly data: LiveData[LiveEventKind];
  readonly accountIds: ReadonlySet<string>;
}

/** Receives the events of one open stream. */
export type HubListener = (event: HubEvent) => void;

/** The number of events that are kept for replays. */
const EVENTS_MAX = 500;
/** The maximum number of open streams per account. */
const STREAMS_MAX = 20;
/** A lost stream may return within this time; until then, its account's events are kept. */
const AWAY_MAX_MS = 2 * 60_000;

/** An account whose events are kept without a gap since `since`. */
interface Watcher {
  /** The listeners, each with the function that ends its stream. */
  readonly listeners: Map<HubListener, () => void>;
  /** In milliseconds since the epoch, like the time in event ids. */
  readonly since: number;
  /** When its last stream ended, by the monotonic clock; null while one is open. */
  awaySince: number | null;
}

export interface HubOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
  /**
   * A replay after an event of another process starts this much earlier, because that process may have assigned
   * nearby ids in another order.
   */
  readonly marginMs?: number;
}

/** Publishes events to the open streams of the accounts that may see them. */
export class LiveHub {
  readonly #now: () => number;
  readonly #elapsed: () => number;
  readonly #marginMs: number;
  readonly #watchers = new Map<string, Watcher>();
  #events: HubEvent[] = [];
  /** The newest event that was dropped. */
  #droppedId = "";

  constructor({ now, elapsed, marginMs = 0 }: HubOptions) {
    this.#now = now;
    this.#elapsed = elapsed;
    this.#marginMs = marginMs;
  }

  /**
   * Adds a stream and returns the function that removes it; null if the account has too many. `end` ends the
   * stream from the server's side: its reader reconnects and requests a replay.
   */
  open(accountId: string, listener: HubListener, end: () => void = () => {}): (() => void) | null {
    const watcher = this.#watcherOf(accountId) ?? {
      listeners: new Map<HubListener, () => void>(),
      since: this.#now(),
      awaySince: null,
    };
    const { listeners } = watcher;
    if (listeners.size >= STREAMS_MAX) return null;
    listeners.set(listener, end);
    watcher.awaySince = null;
    this.#watchers.set(accountId, watcher);
    return () => {
      if (listeners.delete(listener) && listeners.size === 0) watcher.awaySince = this.#elapsed();
    };
  }

  /** Returns whether the account has an open stream, or had one within the last two minutes. */
  isWatching(accountId: string): boolean {
    return this.#watcherOf(accountId) !== null;
  }

  /** The accounts with an open stream, or with one that was lost within the last two minutes. */
  get accountIds(): readonly string[] {
    return [...this.#watchers.keys()].filter((accountId) => this.isWatching(accountId));
  }

  publish(event: HubEvent): void {
    this.#events.push(event);
    if (this.#events.length > 2 * EVENTS_MAX) {
      this.#droppedId = this.#events.at(-EVENTS_MAX - 1)?.id ?? "";
      this.#events = this.#events.slice(-EVENTS_MAX);
    }
    for (const accountId of event.accountIds) {
      for (const listener of this.#watchers.get(accountId)?.listeners.keys() ?? []) listener(event);
    }
  }

  /** Ends all streams and drops the kept events, because some may be missing. */
  interrupt(): void {
    const ends = [...this.#watchers.values()].flatMap(({ listeners }) => [...listeners.values()]);
    this.#watchers.clear();
    this.#events = [];
    for (const end of ends) end();
  }

  /** Returns the account's events after `lastId`, or null if this process does not have all of them. */
  since(accountId: string, lastId: string): readonly HubEvent[] | null {
    const watcher = this.#watcherOf(accountId);
    const isLocal = this.#marginMs === 0 || this.#events.some(({ id }) => id === lastId);
    const since = timeOf(lastId) - (isLocal ? 0 : this.#marginMs);
    const afterId = isLocal ? lastId : leastIdAt(since);
    if (watcher === null || since < watcher.since || afterId < this.#droppedId) return null;
    return this.#events.filter(({ id, accountIds }) => id > afterId && accountIds.has(accountId));
  }

  #watcherOf(accountId: string): Watcher | null {
    const watcher = this.#watchers.get(accountId);
    if (watcher === undefined) return null;
    const { awaySince } = watcher;
    if (awaySince === null || this.#elapsed() - awaySince <= AWAY_MAX_MS) return watcher;
    this.#watchers.delete(accountId);
    return null;
  }
}
