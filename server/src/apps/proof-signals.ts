import { RecentMap } from "#concurrency/recent-map.ts";
import type { Proof } from "./app.ts";

/** Maximum number of remembered connections that did not answer. */
const SILENT_MAX = 10_000;

/**
 * The waits of attempts for the proof that an app has a message, and the connections for which waiting is pointless.
 */
export class ProofSignals {
  readonly #waits = new Map<string, Set<(proof: Proof) => void>>();
  /** By device, when its connection was opened, if that connection left a message without an answer. */
  readonly #silent = new RecentMap<string, number>(SILENT_MAX);

  /** Begins a wait for the proof that an app has the message of a notification. The caller ends the wait. */
  begin(deviceId: string, notificationId: string) {
    const key = toKey(deviceId, notificationId);
    const { promise, resolve } = Promise.withResolvers<Proof>();
    const waits = this.#waits.get(key) ?? new Set();
    this.#waits.set(key, waits.add(resolve));
    return {
      proof: promise,
      end: () => {
        waits.delete(resolve);
        if (waits.size === 0 && this.#waits.get(key) === waits) this.#waits.delete(key);
      },
    };
  }

  /** Resolves the waits for the proof of a message. The connection of the app is not silent any more. */
  signal(deviceId: string, notificationId: string, proof: Proof): void {
    this.#silent.delete(deviceId);
    for (const resolve of this.#waits.get(toKey(deviceId, notificationId)) ?? []) resolve(proof);
  }

  /** Records that a connection, opened at `connectedAt`, left a message without an answer. */
  markSilent(deviceId: string, connectedAt: number): void {
    this.#silent.set(deviceId, connectedAt);
  }

  /** Returns whether a connection, opened at `connectedAt`, leaves messages without an answer. */
  isSilent(deviceId: string, connectedAt: number): boolean {
    return this.#silent.get(deviceId) === connectedAt;
  }
}

function toKey(deviceId: string, notificationId: string): string {
  return `${deviceId} ${notificationId}`;
}
