import { Watch, type Report } from "./watch.ts";

/** Longest wait of a caller for the first attempts. */
const WATCH_MAX_MS = 30_000;

/** Watches of notifications that other processes send. Reports of other processes may be lost. */
export class RemoteResults {
  readonly #watches = new Map<string, Set<Watch>>();

  /**
   * Returns a watch that ends when every device was reported. The watch is forgotten after `WATCH_MAX_MS`. `deviceIds`
   * is null if the devices are not known yet.
   */
  watch(notificationId: string, deviceIds: readonly string[] | null): Watch {
    const watch = new Watch(deviceIds, true);
    if (watch.isComplete) {
      watch.end();
      return watch;
    }
    const watches = this.#watches.get(notificationId) ?? new Set();
    this.#watches.set(notificationId, watches.add(watch));
    setTimeout(() => this.#forget(notificationId, watch), WATCH_MAX_MS).unref();
    return watch;
  }

  /** Adds a report of another process. */
  addReport(notificationId: string, report: Report): void {
    for (const watch of this.#watches.get(notificationId) ?? []) {
      watch.addReport(report);
      if (!watch.isComplete) continue;
      this.#forget(notificationId, watch);
      watch.end();
    }
  }

  #forget(notificationId: string, watch: Watch): void {
    const watches = this.#watches.get(notificationId);
    watches?.delete(watch);
    if (watches?.size === 0) this.#watches.delete(notificationId);
  }
}
