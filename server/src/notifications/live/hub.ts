import type { LiveData, LiveEventKind } from "@tocsin/sdk";
import { toMinId, parseIdTime } from "#ids.ts";

/** An event, and the accounts that may see it. */
export interface HubEvent {
  /** Sorts by time. */
  readonly id: string;
  readonly kind: LiveEventKind;
  readonly data: LiveData[LiveEventKind];
  readonly accountIds: ReadonlySet<string>;
}

/** A function that receives the events of one open stream. */
export type HubListener = (event: HubEvent) => void;

/** The number of newest events that are always buffered for replays. */
const BUFFERED_EVENTS_MIN = 500;
/** The maximum number of open streams per account. */
const STREAMS_PER_ACCOUNT_MAX = 20;
/** A lost stream may return within this time; until then, its account's events are buffered. */
const RECONNECT_MAX_MS = 2 * 60_000;

/** An account whose events are buffered without a gap since `bufferedSinceAt`. */
interface WatchedAccount {
  /** The listeners, each with the function that ends its stream. */
  readonly listeners: Map<HubListener, () => void>;
  /** In milliseconds since the epoch, like the time in event ids. */
  readonly bufferedSinceAt: number;
  /** The time at which its last stream ended, by the monotonic clock; null while a stream is open. */
  disconnectedAt: number | null;
}

/** The clocks of a live hub, and its tolerance for ids of other processes. */
export interface LiveHubDeps {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
  /**
   * A replay after an event of another process starts this much earlier, because that process may have assigned
   * nearby ids in another order.
   */
  readonly replayMarginMs?: number;
}

/** The hub that publishes events to the open streams of the accounts that may see them. */
export class LiveHub {
  readonly #now: () => number;
  readonly #elapsed: () => number;
  readonly #replayMarginMs: number;
  readonly #watchedAccounts = new Map<string, WatchedAccount>();
  #events: HubEvent[] = [];
  /** The newest event that was dropped. */
  #droppedId = "";

  constructor({ now, elapsed, replayMarginMs = 0 }: LiveHubDeps) {
    this.#now = now;
    this.#elapsed = elapsed;
    this.#replayMarginMs = replayMarginMs;
  }

  /**
   * Adds a stream and returns the function that removes it; null if the account has too many. `end` ends the
   * stream from the server's side: its reader reconnects and requests a replay.
   */
  addStream(
    accountId: string,
    listener: HubListener,
    end: () => void = () => {},
  ): (() => void) | null {
    const account = this.#findWatchedAccount(accountId) ?? {
      listeners: new Map<HubListener, () => void>(),
      bufferedSinceAt: this.#now(),
      disconnectedAt: null,
    };
    const { listeners } = account;
    if (listeners.size >= STREAMS_PER_ACCOUNT_MAX) return null;
    listeners.set(listener, end);
    account.disconnectedAt = null;
    this.#watchedAccounts.set(accountId, account);
    return () => {
      if (listeners.delete(listener) && listeners.size === 0)
        account.disconnectedAt = this.#elapsed();
    };
  }

  /** Returns whether the account has an open stream, or had one within the last two minutes. */
  isWatched(accountId: string): boolean {
    return this.#findWatchedAccount(accountId) !== null;
  }

  /** The accounts with an open stream, or with one that was lost within the last two minutes. */
  get watchedAccountIds(): readonly string[] {
    return [...this.#watchedAccounts.keys()].filter((accountId) => this.isWatched(accountId));
  }

  /** Sends an event to the open streams of its accounts, and buffers it for replays. */
  publish(event: HubEvent): void {
    this.#events.push(event);
    if (this.#events.length > 2 * BUFFERED_EVENTS_MIN) {
      this.#droppedId = this.#events.at(-BUFFERED_EVENTS_MIN - 1)?.id ?? "";
      this.#events = this.#events.slice(-BUFFERED_EVENTS_MIN);
    }
    for (const accountId of event.accountIds) {
      for (const listener of this.#watchedAccounts.get(accountId)?.listeners.keys() ?? [])
        listener(event);
    }
  }

  /** Ends all streams and drops the buffered events, because some may be missing. */
  endAllStreams(): void {
    const ends = [...this.#watchedAccounts.values()].flatMap(({ listeners }) => [
      ...listeners.values(),
    ]);
    this.#watchedAccounts.clear();
    this.#events = [];
    for (const end of ends) end();
  }

  /** Returns the account's events after `lastId`, or null if this process does not have all of them. */
  listEventsSince(accountId: string, lastId: string): readonly HubEvent[] | null {
    const account = this.#findWatchedAccount(accountId);
    const isLocal = this.#replayMarginMs === 0 || this.#events.some(({ id }) => id === lastId);
    const replayFromAt = parseIdTime(lastId) - (isLocal ? 0 : this.#replayMarginMs);
    const afterId = isLocal ? lastId : toMinId(replayFromAt);
    if (account === null || replayFromAt < account.bufferedSinceAt || afterId < this.#droppedId)
      return null;
    return this.#events.filter(({ id, accountIds }) => id > afterId && accountIds.has(accountId));
  }

  #findWatchedAccount(accountId: string): WatchedAccount | null {
    const account = this.#watchedAccounts.get(accountId);
    if (account === undefined) return null;
    const { disconnectedAt } = account;
    if (disconnectedAt === null || this.#elapsed() - disconnectedAt <= RECONNECT_MAX_MS)
      return account;
    this.#watchedAccounts.delete(accountId);
    return null;
  }
}
