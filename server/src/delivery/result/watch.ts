import type { DeliveryResult, PendingDevice } from "../delivery.ts";

/**
 * The result of one device, or its state after an attempt that did not end its delivery. Other nodes receive
 * reports as JSON.
 */
export type Report =
  | { readonly kind: "final"; readonly result: DeliveryResult }
  | { readonly kind: "pending"; readonly pending: PendingDevice };

/** A caller's view of a running delivery. The watch is complete once every device was reported. */
export class Watch {
  readonly #reports = new Map<string, Report>();
  /** The devices without a report; null while the devices are unknown. */
  #missing: Set<string> | null;
  readonly #complete = Promise.withResolvers<void>();

  /** True if another process sends, so that reports may be lost. */
  readonly isRemote: boolean;

  constructor(deviceIds: readonly string[] | null, isRemote = false) {
    this.isRemote = isRemote;
    this.#missing = deviceIds === null ? null : new Set(deviceIds);
  }

  /** Sets the devices of the notification, which were unknown. Some of them may already be reported. */
  setDevices(deviceIds: readonly string[]): void {
    this.#missing = new Set(deviceIds.filter((deviceId) => !this.#reports.has(deviceId)));
  }

  /** Adds a report, which replaces an earlier report of the same device. */
  addReport(report: Report): void {
    const { deviceId } = report.kind === "final" ? report.result : report.pending;
    this.#reports.set(deviceId, report);
    this.#missing?.delete(deviceId);
  }

  /** Ends every wait, because the run has ended or every device was reported. */
  end(): void {
    this.#complete.resolve();
  }

  /** True once every device was reported. */
  get isComplete(): boolean {
    return this.#missing?.size === 0;
  }

  /** Resolves once `end` was called, or after `waitMs`, whichever comes first. */
  async wait(waitMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, waitMs);
    await Promise.race([this.#complete.promise, promise]);
    clearTimeout(timer);
  }

  /** The devices of the notification. */
  get deviceIds(): readonly string[] {
    return [...new Set([...(this.#missing ?? []), ...this.#reports.keys()])];
  }

  /** Returns the latest report of a device; null before the first. */
  getReport(deviceId: string): Report | null {
    return this.#reports.get(deviceId) ?? null;
  }
}
