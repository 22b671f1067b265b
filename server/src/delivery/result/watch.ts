import type { DeliveryResult, PendingDevice } from "../delivery.ts";

/** The result of one device, or its state after an attempt that was not the last. */
export type Report =
  | { readonly kind: "final"; readonly result: DeliveryResult }
  | { readonly kind: "pending"; readonly pending: PendingDevice };

/** A caller's view of a delivery under way, complete once every device was reported. */
export class Watch {
  readonly #reports = new Map<string, Report>();
  readonly #missing: Set<string>;
  readonly #complete = Promise.withResolvers<void>();

  /** True if another process sends: its reports may be lost. */
  readonly isElsewhere: boolean;

  constructor(deviceIds: readonly string[], isElsewhere = false) {
    this.isElsewhere = isElsewhere;
    this.#missing = new Set(deviceIds);
  }

  /** Notes a report; the last one of a device counts. */
  note(report: Report): void {
    const { deviceId } = report.kind === "final" ? report.result : report.pending;
    this.#reports.set(deviceId, report);
    this.#missing.delete(deviceId);
  }

  /** Ends the wait: everything noted is recorded, or waits for its retry. */
  end(): void {
    this.#complete.resolve();
  }

  /** True once every device was reported. */
  get isComplete(): boolean {
    return this.#missing.size === 0;
  }

  /** Resolves when the run has ended, or after `waitMs`, whichever comes first. */
  async wait(waitMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, waitMs);
    await Promise.race([this.#complete.promise, promise]);
    clearTimeout(timer);
  }

  /** The devices that the notification is for. */
  get deviceIds(): readonly string[] {
    return [...new Set([...this.#missing, ...this.#reports.keys()])];
  }

  report(deviceId: string): Report | null {
    return this.#reports.get(deviceId) ?? null;
  }
}
