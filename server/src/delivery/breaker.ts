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
  /** False for a mere suspicion: the operator is told, and every message goes. */
  readonly isBlocking: boolean;
}

/** A message that asks to go. */
export interface Candidate {
  readonly deviceId: string;
  /** Nothing was tried for it yet: somebody waits for it, or sleeps. */
  readonly isFirstTry: boolean;
}

export type Admission =
  | { readonly kind: "go"; readonly isProbe: boolean }
  | { readonly kind: "held"; readonly hold: Hold };

/** What came of one attempt that was admitted. */
export interface Noted {
  readonly deviceId: string;
  /** Null where it was broken off by ourselves, and says nothing about the service. */
  readonly outcome: Outcome | null;
  readonly isProbe: boolean;
  readonly startedAt: number;
  readonly now: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Refused credentials are tried this often: an operator has to mend them first. */
const CREDENTIALS_PROBE_MS = 5 * MINUTE;
/** A failing service is tried after this, doubling; … */
const FAILING_PROBE_MS = 30 * SECOND;
const FAILING_PROBE_MAX_MS = 15 * MINUTE;
/** … by a new message at any time, but not oftener than this; … */
const NEW_PROBE_MS = 10 * SECOND;
/** … and by so many devices that had no part in its failures: it may fail for the others alone. */
const OTHER_DEVICES_MAX = 5;
/** So many failures within the window, and more than half of all answers, are the service's and no device's. */
const FAILURES_BORNE = 5;
const WINDOW_MS = 30 * SECOND;
/** What a service that asks for patience without saying how much is given. */
const THROTTLED_MS = MINUTE;
/** A service that accepted a message within this does not refuse our credentials. */
const TRUSTED_MS = 5 * MINUTE;
const FAILED_DEVICES_MAX = 1_000;

/**
 * Decides whether one service is given messages. A service that refuses our credentials or fails is given
 * one message now and then, until one is accepted; everything else waits, and no device is blamed.
 */
export class Breaker {
  #hold: Hold | null = null;
  #isProbing = false;
  #probedAt = Number.NEGATIVE_INFINITY;
  #probeDelayMs = FAILING_PROBE_MS;
  #acceptedAt = Number.NEGATIVE_INFINITY;
  #windowStartedAt = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #answers = 0;
  /** Without an answer in between, however long that took: few messages tell as much as many. */
  #failuresInRow = 0;
  /** Devices whose messages failed since the last answer. */
  readonly #failed = new Set<string>();
  #othersLeft = 0;

  /** Lets a message go, as a probe where the service is held; what goes must be noted. */
  admit(now: number, candidate: Candidate): Admission {
    const hold = this.#hold;
    if (hold === null || !hold.isBlocking) return { kind: "go", isProbe: false };
    if (hold.cause === "throttled" && now >= hold.until) {
      this.#hold = null;
      return { kind: "go", isProbe: false };
    }
    if (!this.#mayProbe(hold, now, candidate)) return { kind: "held", hold };
    this.#isProbing = true;
    this.#probedAt = now;
    return { kind: "go", isProbe: true };
  }

  /** The reason why messages wait now; null where they do not. */
  holdAt(now: number): Hold | null {
    const hold = this.#hold;
    if (hold === null || !hold.isBlocking) return null;
    return now < hold.until || this.#isProbing ? hold : null;
  }

  /** The hold, probes aside; null where the service is given everything and nothing is suspected. */
  get hold(): Hold | null {
    return this.#hold;
  }

  /** Takes in what came of an attempt; says where that made the service held, or released it. */
  note(noted: Noted): "held" | "released" | null {
    if (noted.isProbe) this.#isProbing = false;
    const { outcome, now } = noted;
    switch (outcome?.kind) {
      case "refused":
        return this.#refuse(outcome, noted);
      case "accepted":
        this.#acceptedAt = now;
        return this.#answer(noted, true);
      case "gone":
        return this.#answer(noted, this.#hold?.cause === "failing");
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

  #mayProbe(hold: Hold, now: number, { deviceId, isFirstTry }: Candidate): boolean {
    if (hold.cause === "failing" && this.#othersLeft > 0 && !this.#failed.has(deviceId)) {
      this.#othersLeft -= 1;
      return true;
    }
    if (this.#isProbing) return false;
    if (now >= hold.until) return true;
    return hold.cause === "failing" && isFirstTry && now - this.#probedAt >= NEW_PROBE_MS;
  }

  #refuse(
    { reason, mayBeDevice }: Outcome & { kind: "refused" },
    { isProbe, now }: Noted,
  ): "held" | null {
    const hold = this.#hold;
    const isKnown = hold?.cause === "credentials";
    if (mayBeDevice === true) {
      if (isProbe) this.#probeAgain(now);
      if (hold !== null || now - this.#acceptedAt < TRUSTED_MS) return null;
    }
    // What was under way when the first refusal came says the same, and does not put off the probe.
    if (isKnown && hold.isBlocking && !isProbe) return null;
    const until = now + CREDENTIALS_PROBE_MS;
    const since = isKnown ? hold.since : now;
    this.#hold = { cause: "credentials", reason, since, until, isBlocking: mayBeDevice !== true };
    return isKnown ? null : "held";
  }

  #answer({ isProbe, startedAt, now }: Noted, isProof: boolean): "released" | null {
    this.#count(now, null);
    const hold = this.#hold;
    if (hold === null || hold.cause === "throttled") return null;
    // An answer to what was sent before the trouble began does not say that it is over.
    if (!isProbe && startedAt <= hold.since) return null;
    if (!isProof) {
      if (isProbe) this.#probeAgain(now);
      return null;
    }
    this.#hold = null;
    return "released";
  }

  #throttle({ reason, afterMs }: Outcome & { kind: "retry" }, now: number): "held" | null {
    const hold = this.#hold;
    if (hold !== null && hold.cause !== "throttled" && hold.isBlocking) return null;
    const until = Math.max(now + (afterMs ?? THROTTLED_MS), hold?.until ?? 0);
    const since = hold?.since ?? now;
    this.#hold = { cause: "throttled", reason, since, until, isBlocking: true };
    return hold?.cause === "throttled" ? null : "held";
  }

  #fail(reason: Reason, { deviceId, isProbe, now }: Noted): "held" | null {
    this.#count(now, deviceId);
    const hold = this.#hold;
    if (hold !== null && hold.cause !== "throttled" && hold.isBlocking) {
      if (isProbe) this.#failAgain(hold, reason, now);
      return null;
    }
    const isMany = this.#failures >= FAILURES_BORNE && this.#failures * 2 > this.#answers;
    if (!isMany && this.#failuresInRow < FAILURES_BORNE) return null;
    this.#probeDelayMs = FAILING_PROBE_MS;
    this.#othersLeft = OTHER_DEVICES_MAX;
    const until = now + FAILING_PROBE_MS;
    this.#hold = { cause: "failing", reason, since: now, until, isBlocking: true };
    return "held";
  }

  /** A probe before its time tells nothing new; credentials stay refused while the service cannot be asked. */
  #failAgain(hold: Hold, reason: Reason, now: number): void {
    if (now < hold.until) return;
    if (hold.cause === "credentials") {
      this.#hold = { ...hold, until: now + CREDENTIALS_PROBE_MS };
      return;
    }
    this.#probeDelayMs = Math.min(this.#probeDelayMs * 2, FAILING_PROBE_MAX_MS);
    this.#othersLeft = OTHER_DEVICES_MAX;
    this.#hold = { ...hold, reason, until: now + this.#probeDelayMs };
  }

  #probeAgain(now: number): void {
    const hold = this.#hold;
    if (hold !== null && hold.isBlocking)
      this.#hold = { ...hold, until: Math.min(hold.until, now) };
  }

  #count(now: number, failedDeviceId: string | null): void {
    if (now - this.#windowStartedAt >= WINDOW_MS || now < this.#windowStartedAt) {
      this.#windowStartedAt = now;
      this.#failures = 0;
      this.#answers = 0;
    }
    this.#answers += 1;
    if (failedDeviceId === null) {
      this.#failuresInRow = 0;
      this.#failed.clear();
      return;
    }
    this.#failures += 1;
    this.#failuresInRow += 1;
    if (this.#failed.size < FAILED_DEVICES_MAX) this.#failed.add(failedDeviceId);
  }
}

/** Says whether an attempt failed for what is rather the service's trouble than the device's. */
export function isServiceTrouble(outcome: Outcome): boolean {
  return outcome.kind === "retry" && TROUBLE.has(outcome.reason.code);
}

const TROUBLE: ReadonlySet<string> = new Set(["transient", "ambiguous", "unreachable"]);
