import type { LiveData, LiveEventKind } from "@tocsin/sdk";
import { timeOf } from "#ids.ts";

/** One event, and who may see it. */
export interface HubEvent {
  /** Sorts by time. */
  readonly id: string;
  readonly kind: LiveEventKind;
  readonly data: LiveData[LiveEventKind];
  readonly accountIds: ReadonlySet<string>;
}

/** Receives the events of one open stream. */
export type Listener = (event: HubEvent) => void;

/** A stream that was away finds the events of this process here, up to so many. */
const REMEMBERED_MAX = 500;
/** Open streams of one account. */
const STREAMS_MAX = 20;
/** A stream that was lost is expected back within this: until then its account's events are kept for it. */
const AWAY_MAX_MS = 2 * 60_000;

/** An account whose events are told, without a gap since `since`. */
interface Watcher {
  readonly listeners: Set<Listener>;
  readonly since: number;
  /** When its last stream ended; null while one is open. */
  awaySince: number | null;
}

/** Passes events of this process to the open streams of those who may see them. */
export class LiveHub {
  readonly #now: () => number;
  readonly #watchers = new Map<string, Watcher>();
  #remembered: HubEvent[] = [];
  /** The newest event that is no longer remembered. */
  #forgottenId = "";

  constructor({ now }: { readonly now: () => number }) {
    this.#now = now;
  }

  /** Adds a stream; the function that ends it is returned, or null where the account has too many. */
  open(accountId: string, listener: Listener): (() => void) | null {
    const watcher = this.#watcherOf(accountId) ?? {
      listeners: new Set(),
      since: this.#now(),
      awaySince: null,
    };
    const { listeners } = watcher;
    if (listeners.size >= STREAMS_MAX) return null;
    listeners.add(listener);
    watcher.awaySince = null;
    this.#watchers.set(accountId, watcher);
    return () => {
      if (listeners.delete(listener) && listeners.size === 0) watcher.awaySince = this.#now();
    };
  }

  /** Returns whether the account has an open stream, or had one a moment ago. */
  isWatching(accountId: string): boolean {
    return this.#watcherOf(accountId) !== null;
  }

  /** The accounts with an open stream, or with one that was lost a moment ago. */
  get accountIds(): readonly string[] {
    return [...this.#watchers.keys()].filter((accountId) => this.isWatching(accountId));
  }

  publish(event: HubEvent): void {
    this.#remembered.push(event);
    if (this.#remembered.length > 2 * REMEMBERED_MAX) {
      this.#forgottenId = this.#remembered.at(-REMEMBERED_MAX - 1)?.id ?? "";
      this.#remembered = this.#remembered.slice(-REMEMBERED_MAX);
    }
    for (const accountId of event.accountIds) {
      for (const listener of this.#watchers.get(accountId)?.listeners ?? []) listener(event);
    }
  }

  /** Returns the account's events after `lastId`, or null where this process does not know all of them. */
  since(accountId: string, lastId: string): readonly HubEvent[] | null {
    const watcher = this.#watcherOf(accountId);
    if (watcher === null || timeOf(lastId) < watcher.since || lastId < this.#forgottenId) {
      return null;
    }
    return this.#remembered.filter(
      ({ id, accountIds }) => id > lastId && accountIds.has(accountId),
    );
  }

  #watcherOf(accountId: string): Watcher | null {
    const watcher = this.#watchers.get(accountId);
    if (watcher === undefined) return null;
    const { awaySince } = watcher;
    if (awaySince === null || this.#now() - awaySince <= AWAY_MAX_MS) return watcher;
    this.#watchers.delete(accountId);
    return null;
  }
}
