/** The party at fault for a mismatch: our settings, the one device, or unclear. */
export type MismatchVerdict = "settings" | "device" | "unclear";

interface Span {
  readonly startedAt: number;
  accepted: number;
  mismatched: number;
}

const WINDOW_MS = 5 * 60 * 1000;
const SPAN_MS = 10 * 1000;
/** Above this share, mismatches cannot be left-over devices of another app. */
const MAX_DEVICE_PERCENT = 20;

/**
 * Tells a device of another app from a server that is set up for another app. A push service gives the same answer to both:
 * the device belongs to somebody else. Its answers about other devices within the last five minutes tell them apart.
 */
export class MismatchShare {
  readonly #elapsed: () => number;
  #spans: Span[] = [];

  /** `elapsed` is a monotonic clock, in milliseconds. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Counts a message that the push service accepted. */
  noteAccepted(): void {
    this.#current().accepted += 1;
  }

  /** Counts a mismatch and returns its verdict beside the other answers. */
  judgeMismatch(): MismatchVerdict {
    this.#current().mismatched += 1;
    let accepted = 0;
    let mismatched = 0;
    for (const span of this.#spans) {
      accepted += span.accepted;
      mismatched += span.mismatched;
    }
    if (accepted === 0) return "settings";
    const percent = (100 * mismatched) / (accepted + mismatched);
    return percent <= MAX_DEVICE_PERCENT ? "device" : "unclear";
  }

  #current(): Span {
    const now = this.#elapsed();
    this.#spans = this.#spans.filter(({ startedAt }) => now - startedAt < WINDOW_MS);
    const last = this.#spans.at(-1);
    if (last !== undefined && now - last.startedAt < SPAN_MS) return last;
    const span = { startedAt: now, accepted: 0, mismatched: 0 };
    this.#spans.push(span);
    return span;
  }
}
