import { STOLEN_MAX, watchStolenShare } from "../support/own-time.ts";

/** Continuous integration proves that nothing is lost; how long things take is told on a machine that is left alone. */
const PATIENCE = 15;

/** A campaign's findings: figures for the table, and every broken promise. */
export class Findings {
  readonly #leniency: number;
  readonly #stolenShare = watchStolenShare();
  readonly #broken: string[] = [];
  readonly #notes: string[] = [];
  readonly #times = new Map<string, number[]>();
  runs = 0;
  /** Notifications whose sender was answered that they are accepted. */
  accepted = 0;
  /** Deliveries of these, and of what was stored without an answer. */
  deliveries = 0;
  /** Accepted notifications that are not stored, and devices without a recorded outcome. */
  lost = 0;
  /** Requests to push services beyond the first for one device. */
  duplicates = 0;
  /** Named for the campaign: as many may be sent again. */
  duplicatesMax = 0;

  /** Times are judged with patience where much else goes on at the same time. */
  constructor({ isShort }: { readonly isShort: boolean }) {
    this.#leniency = isShort ? PATIENCE : 1;
  }

  /** Every promise that was broken, in the order of discovery. */
  get broken(): readonly string[] {
    return this.#broken;
  }

  /** Figures in words. */
  get notes(): readonly string[] {
    return this.#notes;
  }

  /** Notes a broken promise unless the condition holds. */
  expect(condition: boolean, otherwise: string): void {
    if (!condition) this.#broken.push(otherwise);
  }

  /**
   * Notes a broken promise about times unless the condition holds. In short it is a note alone, with its reason, where too much of
   * the processor was stolen meanwhile.
   */
  expectTime(condition: boolean, otherwise: string): void {
    if (condition) return;
    const stolen = this.#stolenShare();
    if (this.#leniency > 1 && stolen > STOLEN_MAX) {
      this.note(
        `not judged, as ${Math.round(stolen * 100)} % of the processor was stolen: ${otherwise}`,
      );
      return;
    }
    this.#broken.push(otherwise);
  }

  note(text: string): void {
    this.#notes.push(text);
  }

  /** Notes how long something took, to be judged together with others of its name; what never came took infinitely long. */
  time(name: string, ms: number): void {
    const times = this.#times.get(name) ?? [];
    times.push(ms);
    this.#times.set(name, times);
  }

  /** Notes the times of a name, and breaks a promise where their 99th percentile is above the limit, or one never came. */
  judgeTimes(name: string, maxMs: number): void {
    const times = this.#times.get(name) ?? [];
    this.expect(times.length > 0, `${name}: never measured`);
    if (times.length === 0) return;
    const [median, p99, worst] = [0.5, 0.99, 1].map((part) => quantile(times, part));
    this.expectTime(Number.isFinite(worst), `${name}: not within the time that was waited for it`);
    this.note(`${name}: median ${inWords(median)}, p99 ${inWords(p99)}, worst ${inWords(worst)}`);
    const limitMs = maxMs * this.#leniency;
    this.expectTime(
      (p99 ?? 0) <= limitMs,
      `${name}: p99 ${inWords(p99)} is above ${inWords(limitMs)}`,
    );
  }

  /**
   * Notes how long something took before and under the fault, p99, and breaks a promise where it is so many times slower, unless
   * nobody would notice. In short it is the median: of a few seconds, p99 is what the disk of the machine did in one moment.
   */
  judgeSlowdown(what: string, { before, after, timesMax, unnoticedMs }: Slowdown): void {
    const [name, part] = this.#leniency > 1 ? (["median", 0.5] as const) : (["p99", 0.99] as const);
    const [usual = 0, slow = 0] = [before, after].map((waits) => quantile(waits, part));
    this.note(
      `${what}: ${name} ${usual.toFixed(1)} ms before, ${slow.toFixed(1)} ms under the fault`,
    );
    const isKept = slow <= Math.max(unnoticedMs * this.#leniency, usual * timesMax);
    this.expectTime(isKept, `${what} takes ${slow.toFixed(1)} ms: slower than before`);
  }
}

/** Milliseconds of each time that something was done, and how they are judged. */
export interface Slowdown {
  readonly before: readonly number[];
  readonly after: readonly number[];
  readonly timesMax: number;
  /** Below this nobody notices a difference, and a quotient says nothing. */
  readonly unnoticedMs: number;
}

/** Returns the value below which such a part of the values lies; the largest for 1. */
export function quantile(values: readonly number[], part: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

function inWords(ms = 0): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(2)} s`;
}
