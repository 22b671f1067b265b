import type { Outcome, Reason } from "#providers/provider.ts";

/** Why a service is given no messages: it refuses our credentials, it fails, or it asked us to slow down. */
export type HoldCause = "credentials" | "failing" | "throttled";

/** All moments are milliseconds since the epoch. */
export interface Hold {
  readonly cause: HoldCause;
  readonly reason: Reason;
  readonly since: number;
  /** One message is let through to see how things stand, not before this moment. */
  readonly until: number;
}

export type Admission =
  | { readonly kind: "go"; readonly isProbe: boolean }
  | { readonly kind: "held"; readonly hold: Hold };

/** What came of one attempt that was admitted. */
export interface Noted {
  /** Null where it was broken off by ourselves, and says nothing about the service. */
  readonly outcome: Outcome | null;
  readonly isProbe: boolean;
  readonly startedAt: number;
  readonly now: number;
}

const MINUTE = 60_000;
/** Refused credentials are tried this often: an operator has to mend them first. */
const CREDENTIALS_PROBE_MS = 5 * MINUTE;
/** A failing service is tried after this, doubling. */
const FAILING_PROBE_MS = MINUTE / 2;
const FAILING_PROBE_MAX_MS = 15 * MINUTE;
/** So many failures within the window, and more than half of all answers, are the service's and no device's … */
const FAILURES_BORNE = 5;
const WINDOW_MS = MINUTE / 2;
/** What a service that asks for patience without saying how much is given. */
const THROTTLED_MS = MINUTE;

/**
 * Decides whether one service is given messages. A service that refuses our credentials or fails is given
 * one message now and then, until one is accepted; everything else waits, and no device is blamed.
 */
export class Breaker {
  #hold: Hold | null = null;
  #isProbing = false;
  #probeDelayMs = FAILING_PROBE_MS;
  #windowStartedAt = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #answers = 0;
  /** Without an answer in between, however long that took: few messages tell as much as many. */
  #failuresInRow = 0;

  /** Lets a message go, as a probe where the service is held and it is time for one. */
  admit(now: number): Admission {
    const hold = this.#hold;
    if (hold === null) return { kind: "go", isProbe: false };
    if (hold.cause === "throttled" && now >= hold.until) {
      this.#hold = null;
      return { kind: "go", isProbe: false };
    }
    if (now < hold.until || this.#isProbing) return { kind: "held", hold };
    this.#isProbing = true;
    return { kind: "go", isProbe: true };
  }

  /** The reason why messages wait now; null where they do not. */
  holdAt(now: number): Hold | null {
    const hold = this.#hold;
    return hold !== null && (now < hold.until || this.#isProbing) ? hold : null;
  }

  /** The hold, probes aside; null where the service is given everything. */
  get hold(): Hold | null {
    return this.#hold;
  }

  /** Takes in what came of an attempt; says where that made the service held, or released it. */
  note(noted: Noted): "held" | "released" | null {
    if (noted.isProbe) this.#isProbing = false;
    const { outcome, now } = noted;
    switch (outcome?.kind) {
      case "refused":
        return this.#refuse(outcome.reason, noted);
      case "accepted":
        return this.#answer(noted, true);
      case "gone":
        return this.#answer(noted, this.#hold?.cause !== "credentials");
      case "retry":
        if (outcome.isForAll === true) return this.#throttle(outcome, now);
        if (isServiceTrouble(outcome)) return this.#fail(outcome.reason, noted);
        break;
      case "rejected":
      case undefined:
    }
    // Nothing is known: the next message may ask instead.
    if (noted.isProbe) this.#probeAgain(now);
    return null;
  }

  #refuse(reason: Reason, { isProbe, now }: Noted): "held" | null {
    const hold = this.#hold;
    const isKnown = hold?.cause === "credentials";
    // What was under way when the first refusal came says the same, and does not put off the probe.
    if (isKnown && !isProbe) return null;
    const until = now + CREDENTIALS_PROBE_MS;
    this.#hold = { cause: "credentials", reason, since: isKnown ? hold.since : now, until };
    return isKnown ? null : "held";
  }

  #answer({ isProbe, startedAt, now }: Noted, isProof: boolean): "released" | null {
    this.#count(now, false);
    const hold = this.#hold;
    if (hold === null || hold.cause === "throttled") return null;
    // An answer to what was sent before the trouble began does not say that it is over.
    if (!isProbe && startedAt <= hold.since) return null;
    if (!isProof) {
      if (isProbe) this.#probeAgain(now);
      return null;
    }
    this.#hold = null;
    this.#probeDelayMs = FAILING_PROBE_MS;
    return "released";
  }

  #throttle({ reason, afterMs }: Outcome & { kind: "retry" }, now: number): "held" | null {
    const hold = this.#hold;
    if (hold !== null && hold.cause !== "throttled") return null;
    const until = Math.max(now + (afterMs ?? THROTTLED_MS), hold?.until ?? 0);
    this.#hold = { cause: "throttled", reason, since: hold?.since ?? now, until };
    return hold === null ? "held" : null;
  }

  #fail(reason: Reason, { isProbe, now }: Noted): "held" | null {
    this.#count(now, true);
    const hold = this.#hold;
    if (hold !== null && hold.cause !== "throttled") {
      if (!isProbe) return null;
      if (hold.cause === "failing") {
        this.#probeDelayMs = Math.min(this.#probeDelayMs * 2, FAILING_PROBE_MAX_MS);
      }
      this.#hold = {
        ...hold,
        reason: this.#reasonNow(hold, reason),
        until: this.#nextProbe(hold, now),
      };
      return null;
    }
    const isMany = this.#failures >= FAILURES_BORNE && this.#failures * 2 > this.#answers;
    if (!isMany && this.#failuresInRow < FAILURES_BORNE) return null;
    this.#probeDelayMs = FAILING_PROBE_MS;
    this.#hold = { cause: "failing", reason, since: now, until: now + FAILING_PROBE_MS };
    return "held";
  }

  /** Credentials that were refused stay refused while the service cannot be asked. */
  #reasonNow(hold: Hold, reason: Reason): Reason {
    return hold.cause === "credentials" ? hold.reason : reason;
  }

  #nextProbe({ cause }: Hold, now: number): number {
    return now + (cause === "credentials" ? CREDENTIALS_PROBE_MS : this.#probeDelayMs);
  }

  #probeAgain(now: number): void {
    if (this.#hold !== null) this.#hold = { ...this.#hold, until: now };
  }

  #count(now: number, isFailure: boolean): void {
    if (now - this.#windowStartedAt >= WINDOW_MS || now < this.#windowStartedAt) {
      this.#windowStartedAt = now;
      this.#failures = 0;
      this.#answers = 0;
    }
    this.#answers += 1;
    if (isFailure) this.#failures += 1;
    this.#failuresInRow = isFailure ? this.#failuresInRow + 1 : 0;
  }
}

/** Says whether an attempt failed for what is rather the service's trouble than the device's. */
export function isServiceTrouble(outcome: Outcome): boolean {
  return outcome.kind === "retry" && TROUBLE.has(outcome.reason.code);
}

const TROUBLE: ReadonlySet<string> = new Set(["transient", "ambiguous", "unreachable"]);
