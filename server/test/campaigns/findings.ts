import { STEAL_SHARE_MAX, watchStealShare } from "../support/steal-time.ts";

/**
 * Factor for time limits in continuous integration, which only proves that nothing is lost: times are measured on an
 * idle machine.
 */
const SHORT_LENIENCY = 15;

/** A campaign's findings: figures for the table, and every broken promise. */
export class Findings {
  readonly #leniency: number;
  readonly #readStolenShare = watchStealShare();
  readonly #violations: string[] = [];
  readonly #notes: string[] = [];
  readonly #durationsMs = new Map<string, number[]>();
  /** The number of faults, or of runs. */
  runCount = 0;
  /** Notifications acknowledged to their sender. */
  acceptedCount = 0;
  /** Deliveries of accepted notifications, and of notifications stored without a response. */
  deliveryCount = 0;
  /** Accepted notifications that are not stored, and devices without a recorded outcome. */
  lostCount = 0;
  /** The number of messages to push services beyond the first for each notification and device. */
  duplicateCount = 0;
  /** Maximum number of duplicates that the campaign's faults explain. */
  duplicatesMax = 0;

  /** Relaxes time limits in the short form, which runs next to other tests. */
  constructor({ isShort }: { readonly isShort: boolean }) {
    this.#leniency = isShort ? SHORT_LENIENCY : 1;
  }

  /** Broken promises of the product, in the order of discovery. */
  get violations(): readonly string[] {
    return this.#violations;
  }

  /** Notes with figures, one per line. */
  get notes(): readonly string[] {
    return this.#notes;
  }

  /** Records a broken promise unless the condition holds. */
  expect(condition: boolean, message: string): void {
    if (!condition) this.#violations.push(message);
  }

  /**
   * Records a broken promise about times unless the condition holds. In the short form, adds only a note if the host
   * took too much processor time meanwhile.
   */
  expectTiming(condition: boolean, message: string): void {
    if (condition) return;
    const stolenShare = this.#readStolenShare();
    if (this.#leniency > 1 && stolenShare > STEAL_SHARE_MAX) {
      this.addNote(
        `not checked, as ${Math.round(stolenShare * 100)} % of the processor was stolen: ${message}`,
      );
      return;
    }
    this.#violations.push(message);
  }

  /** Adds a line with figures. */
  addNote(text: string): void {
    this.#notes.push(text);
  }

  /** Records a duration under a name, to check it with others of that name; infinity if the event never happened. */
  recordDuration(name: string, ms: number): void {
    const durationsMs = this.#durationsMs.get(name) ?? [];
    durationsMs.push(ms);
    this.#durationsMs.set(name, durationsMs);
  }

  /** Returns the longest duration of a name in milliseconds; 0 if there is none. */
  getSlowestMs(name: string): number {
    return Math.max(0, ...(this.#durationsMs.get(name) ?? []));
  }

  /**
   * Notes the durations of a name. Records a broken promise if there are none, if an event never happened, or if their 99th
   * percentile exceeds the limit.
   */
  checkDurations(name: string, maxMs: number): void {
    const durationsMs = this.#durationsMs.get(name) ?? [];
    this.expect(durationsMs.length > 0, `${name}: never measured`);
    if (durationsMs.length === 0) return;
    const [median, p99, worst] = [0.5, 0.99, 1].map((fraction) =>
      computeQuantile(durationsMs, fraction),
    );
    this.expectTiming(Number.isFinite(worst), `${name}: did not happen in time`);
    this.addNote(
      `${name}: median ${formatDuration(median)}, p99 ${formatDuration(p99)}, worst ${formatDuration(worst)}`,
    );
    const limitMs = maxMs * this.#leniency;
    this.expectTiming(
      (p99 ?? 0) <= limitMs,
      `${name}: p99 ${formatDuration(p99)} is above ${formatDuration(limitMs)}`,
    );
  }

  /**
   * Notes the p99 latency before and under the fault. Records a broken promise if it grew to more than `timesMax` times
   * and is not negligible. The short form uses the median: over a few seconds, one slow write to the disk determines p99.
   */
  checkSlowdown(
    operation: string,
    { before, underFault, timesMax, negligibleMs }: LatencyComparison,
  ): void {
    const [name, fraction] =
      this.#leniency > 1 ? (["median", 0.5] as const) : (["p99", 0.99] as const);
    const [beforeMs = 0, underFaultMs = 0] = [before, underFault].map((latenciesMs) =>
      computeQuantile(latenciesMs, fraction),
    );
    this.addNote(
      `${operation}: ${name} ${beforeMs.toFixed(1)} ms before, ${underFaultMs.toFixed(1)} ms under the fault`,
    );
    const isWithinLimit =
      underFaultMs <= Math.max(negligibleMs * this.#leniency, beforeMs * timesMax);
    this.expectTiming(
      isWithinLimit,
      `${operation} takes ${underFaultMs.toFixed(1)} ms: slower than before`,
    );
  }
}

/** Latencies of an operation in milliseconds, and the limits for them. */
export interface LatencyComparison {
  readonly before: readonly number[];
  readonly underFault: readonly number[];
  readonly timesMax: number;
  /** Latencies below this are negligible, whatever their ratio. */
  readonly negligibleMs: number;
}

/** Returns a quantile of the values: the median for 0.5, the largest for 1. */
export function computeQuantile(values: readonly number[], fraction: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))];
}

function formatDuration(ms = 0): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(2)} s`;
}
