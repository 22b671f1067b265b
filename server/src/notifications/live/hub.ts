import type { LiveData, LiveEventKind } from "@tocsin/sdk";

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
const REMEMBERED_MAX = 1_000;
/** Open streams of one account. */
const STREAMS_MAX = 20;

/** Passes events of this process to the open streams of those who may see them. */
export class LiveHub {
  readonly #listeners = new Map<string, Set<Listener>>();
  #remembered: HubEvent[] = [];

  /** Adds a stream; the function that ends it is returned, or null where the account has too many. */
  open(accountId: string, listener: Listener): (() => void) | null {
    const listeners = this.#listeners.get(accountId) ?? new Set();
    if (listeners.size >= STREAMS_MAX) return null;
    listeners.add(listener);
    this.#listeners.set(accountId, listeners);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(accountId);
    };
  }

  /** The accounts with an open stream. */
  get accountIds(): ReadonlySet<string> {
    return new Set(this.#listeners.keys());
  }

  publish(event: HubEvent): void {
    this.#remembered.push(event);
    if (this.#remembered.length > 2 * REMEMBERED_MAX) {
      this.#remembered = this.#remembered.slice(-REMEMBERED_MAX);
    }
    for (const accountId of event.accountIds) {
      for (const listener of this.#listeners.get(accountId) ?? []) listener(event);
    }
  }

  /** Returns the account's events after `lastId`, or null where this process does not know that event. */
  since(accountId: string, lastId: string): readonly HubEvent[] | null {
    const index = this.#remembered.findIndex(({ id }) => id === lastId);
    if (index === -1) return null;
    return this.#remembered.slice(index + 1).filter(({ accountIds }) => accountIds.has(accountId));
  }
}
