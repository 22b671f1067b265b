import { RecentMap } from "#concurrency/recent-map.ts";

/** Maximum number of remembered connections that did not answer. */
const SILENT_MAX = 10_000;

/** The waits of attempts until an app has a message, and the connections for which it is pointless to wait. */
export class FetchSignals {
  readonly #waits = new Map<string, Set<(receipt: string) => void>>();
  /** When the connections were opened that left a message without an answer, by device. */
  readonly #silent = new RecentMap<string, number>(SILENT_MAX);

  /** Begins a wait for the message of a notification to an app. The caller ends it. */
  begin(deviceId: string, notificationId: string) {
    const key = toKey(deviceId, notificationId);
    const { promise, resolve } = Promise.withResolvers<string>();
    const waits = this.#waits.get(key) ?? new Set();
    this.#waits.set(key, waits.add(resolve));
    return {
      /** Resolves with the proof. */
      fetched: promise,
      end: () => {
        waits.delete(resolve);
        if (waits.size === 0 && this.#waits.get(key) === waits) this.#waits.delete(key);
      },
    };
  }

  /** Ends the waits for a message with its proof. The connection of the app is not silent any more. */
  signal(deviceId: string, notificationId: string, receipt: string): void {
    this.#silent.delete(deviceId);
    for (const resolve of this.#waits.get(toKey(deviceId, notificationId)) ?? []) resolve(receipt);
  }

  /** Records that the connection that was opened at `connectedAt` left a message without an answer. */
  markSilent(deviceId: string, connectedAt: number): void {
    this.#silent.set(deviceId, connectedAt);
  }

  /** Returns whether the connection that was opened at `connectedAt` leaves messages without an answer. */
  isSilent(deviceId: string, connectedAt: number): boolean {
    return this.#silent.get(deviceId) === connectedAt;
  }
}

function toKey(deviceId: string, notificationId: string): string {
  return `${deviceId} ${notificationId}`;
}
