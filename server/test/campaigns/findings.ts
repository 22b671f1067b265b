import { STOLEN_MAX, watchStolenShare } from "../support/own-time.ts";

/** Factor for time limits in continuous integration, which only proves that nothing is lost: times are measured on an idle machine. */
const SHORT_LENIENCY = 15;

/** A campaign's findings: figures for the table, and every broken promise. */
export class Findings {
  readonly #leniency: number;
  readonly #stolenShare = watchStolenShare();
  readonly #broken: string[] = [];
  readonly #notes: string[] = [];
  readonly #times = new Map<string, number[]>();
  runs = 0;
  /** Notifications acknowledged to their sender. */
  accepted = 0;
  /** Deliveries of these, and of notifications stored without a response. */
  deliveries = 0;
  /** Accepted notifications that are not stored, and devices without a recorded outcome. */
  lost = 0;
  /** Requests to push services beyond the first for one device. */
  duplicates = 0;
  /** Maximum number of duplicates that the campaign's faults explain. */
  duplicatesMax = 0;

  /** Relaxes time limits in the short form, which runs next to other tests. */
  constructor({ isShort }: { readonly isShort: boolean }) {
    this.#leniency = isShort ? SHORT_LENIENCY : 1;
  }

  /** Broken promises, in the order of discovery. */
  get broken(): readonly string[] {
    return this.#broken;
  }

  /** Lines with figures. */
  get notes(): readonly string[] {
    return this.#notes;
  }

  /** Records a broken promise unless the condition holds. */
  expect(condition: boolean, otherwise: string): void {
    if (!condition) this.#broken.push(otherwise);
  }

  /**
   * Records a broken promise about times unless the condition holds. In the short form it is only a note if too much of the
   * processor was stolen meanwhile.
   */
  expectTime(condition: boolean, otherwise: string): void {
    if (condition) return;
    const stolen = this.#stolenShare();
    if (this.#leniency > 1 && stolen > STOLEN_MAX) {
      this.note(
        `not checked, as ${Math.round(stolen * 100)} % of the processor was stolen: ${otherwise}`,
      );
      return;
    }
    this.#broken.push(otherwise);
  }

  /** Adds a line with figures. */
  note(text: string): void {
    this.#notes.push(text);
  }

  /** Records a duration under a name, to check it with others of that name; infinity if the event never came. */
  time(name: string, ms: number): void {
    const times = this.#times.get(name) ?? [];
    times.push(ms);
    this.#times.set(name, times);
  }

  /** Notes the durations of a name; records a broken promise if their 99th percentile exceeds the limit, or an event never came. */
  checkTimes(name: string, maxMs: number): void {
    const times = this.#times.get(name) ?? [];
    this.expect(times.length > 0, `${name}: never measured`);
    if (times.length === 0) return;
    const [median, p99, worst] = [0.5, 0.99, 1].map((fraction) => quantile(times, fraction));
    this.expectTime(Number.isFinite(worst), `${name}: did not happen in time`);
    this.note(
      `${name}: median ${formatDuration(median)}, p99 ${formatDuration(p99)}, worst ${formatDuration(worst)}`,
    );
    const limitMs = maxMs * this.#leniency;
    this.expectTime(
      (p99 ?? 0) <= limitMs,
      `${name}: p99 ${formatDuration(p99)} is above ${formatDuration(limitMs)}`,
    );
  }

  /**
   * Notes the p99 latency before and under the fault; records a broken promise if it is `timesMax` times slower and not
   * negligible. The short form uses the median: over a few seconds, one slow write of the disk decides p99.
   */
  checkSlowdown(operation: string, { before, after, timesMax, negligibleMs }: Slowdown): void {
    const [name, fraction] =
      this.#leniency > 1 ? (["median", 0.5] as const) : (["p99", 0.99] as const);
    const [beforeMs = 0, afterMs = 0] = [before, after].map((waits) => quantile(waits, fraction));
    this.note(
      `${operation}: ${name} ${beforeMs.toFixed(1)} ms before, ${afterMs.toFixed(1)} ms under the fault`,
    );
    const isKept = afterMs <= Math.max(negligibleMs * this.#leniency, beforeMs * timesMax);
    this.expectTime(isKept, `${operation} takes ${afterMs.toFixed(1)} ms: slower than before`);
  }
}

/** Latencies of an operation in milliseconds, and the limits for them. */
export interface Slowdown {
  readonly before: readonly number[];
  readonly after: readonly number[];
  readonly timesMax: number;
  /** Latencies below this are negligible, whatever their ratio. */
  readonly negligibleMs: number;
}

/** Returns a quantile of the values: the median for 0.5, the largest for 1. */
export function quantile(values: readonly number[], fraction: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))];
}

function formatDuration(ms = 0): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(2)} s`;
}
