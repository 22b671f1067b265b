import type { Report } from "./watch.ts";
import { Watch } from "./watch.ts";

/** Nobody waits longer than this for a first attempt. */
const WATCH_MAX_MS = 30_000;

/** Watches of notifications that other processes send, as far as they tell. */
export class Elsewhere {
  readonly #watches = new Map<string, Watch>();

  /** Returns what a caller may watch, until everything is told or time is up. */
  watch(notificationId: string, deviceIds: readonly string[]): Watch {
    const watch = new Watch(deviceIds, true);
    if (watch.isComplete) {
      watch.end();
      return watch;
    }
    this.#watches.set(notificationId, watch);
    setTimeout(() => this.#watches.delete(notificationId), WATCH_MAX_MS).unref();
    return watch;
  }

  /** Takes in what another process told of a delivery. */
  note(notificationId: string, report: Report): void {
    const watch = this.#watches.get(notificationId);
    if (watch === undefined) return;
    watch.note(report);
    if (!watch.isComplete) return;
    this.#watches.delete(notificationId);
    watch.end();
  }
}
