import type { Outcome, Reason } from "#providers/provider.ts";
import { FailureCount } from "./failure-count.ts";
import type { Hold } from "./hold.ts";
import { RefusedDevices } from "./refused-devices.ts";

/** A message to be admitted. */
export interface Candidate {
  readonly deviceId: string;
  /** True before its first outcome, a wait included: a caller may be waiting for it. */
  readonly isNew: boolean;
}

export type Admission =
  | { readonly kind: "go"; readonly isProbe: boolean }
  | { readonly kind: "held"; readonly hold: Hold };

/** The outcome of one admitted attempt. */
export interface Noted {
  readonly deviceId: string;
  /** Null if this process broke it off, which says nothing about the service. */
  readonly outcome: Outcome | null;
  readonly isProbe: boolean;
  /** By the monotonic clock, like `now`. */
  readonly startedAt: number;
  readonly now: number;
}

/** `suspected`: the operator is alarmed, but every message goes. */
export type BreakerChange = "held" | "suspected" | "released";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Interval of probes while credentials are refused: an operator has to mend them first. */
const CREDENTIALS_PROBE_MS = 5 * MINUTE;
/** First wait before a failing service is probed, doubling: one message costs it little, and an alarm may be waiting; … */
const FAILING_PROBE_MS = 30 * SECOND;
const FAILING_PROBE_MAX_MS = 2 * MINUTE;
/** … the longest wait where it cannot even be reached, as a probe then asks nothing of it; … */
const UNREACHABLE_PROBE_MAX_MS = MINUTE;
/** … the interval at which a new message may probe before that; … */
const NEW_PROBE_MS = 10 * SECOND;
/** … and how many devices that had no part in its failures may: it may fail for the others alone. */
const OTHER_DEVICES_MAX = 5;
/** Wait for a service that throttles without naming one. */
const THROTTLED_MS = MINUTE;
/** Time after an accepted message in which the service does not refuse our credentials. */
const TRUSTED_MS = 5 * MINUTE;

/**
 * The circuit breaker of one service. While the service refuses our credentials or fails, it gets a half-open probe now
 * and then until one is accepted; everything else waits, at no device's expense. All moments are by the monotonic clock.
 */
export class Breaker {
  readonly #count = new FailureCount();
  readonly #refused = new RefusedDevices();
  #hold: Hold | null = null;
  #suspicion: Hold | null = null;
  /** End of what the service throttles: nothing goes before, not even a probe. */
  #quietUntil = Number.NEGATIVE_INFINITY;
  #probes = 0;
  #probedAt = Number.NEGATIVE_INFINITY;
  #probeDelayMs = FAILING_PROBE_MS;
  #othersLeft = 0;
  #acceptedAt = Number.NEGATIVE_INFINITY;

  /** Admits a message, as a probe if the service is held; the outcome of an admitted one must be noted. */
  admit(now: number, candidate: Candidate): Admission {
    const alone = this.#refused.holdOf(candidate.deviceId, now);
    if (alone !== null) return { kind: "held", hold: alone };
    const hold = this.#holdNow(now);
    if (hold === null) return { kind: "go", isProbe: false };
    if (!this.#mayProbe(hold, now, candidate)) return { kind: "held", hold };
    this.#probes += 1;
    this.#probedAt = now;
    return { kind: "go", isProbe: true };
  }

  /** Returns why most messages wait; null if they go. */
  holdAt(now: number): Hold | null {
    return this.#holdNow(now);
  }

  /** Returns why a device's messages wait; null if they go. */
  waitOf(deviceId: string, now: number): Hold | null {
    return this.#refused.holdOf(deviceId, now) ?? this.holdAt(now);
  }

  /** Returns the hold, or the suspicion; null if the service does well. */
  troubleAt(now: number): Hold | null {
    return this.holdAt(now) ?? this.#suspicion;
  }

  /** Returns whether a waiting message would be admitted as a probe. */
  isProbeDue(now: number): boolean {
    const hold = this.holdAt(now);
    return hold !== null && now >= hold.until && now >= this.#quietUntil && this.#probes === 0;
  }

  /** Notes an outcome; returns how that changed the state of the service. */
  note(noted: Noted): BreakerChange | null {
    const { outcome, deviceId, isProbe, now } = noted;
    if (isProbe) this.#probes -= 1;
    switch (outcome?.kind) {
      case "refused":
        return outcome.mayBeDevice === true
          ? this.#suspect(outcome.reason, noted)
          : this.#refuse(outcome.reason, noted);
      case "accepted":
        this.#acceptedAt = now;
        this.#refused.delete(deviceId);
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
    if (isProbe) this.#probeAgain(now);
    return null;
  }

  /** A throttle ends by time alone. */
  #holdNow(now: number): Hold | null {
    const hold = this.#hold;
    return hold?.cause === "throttled" && now >= hold.until ? null : hold;
  }

  #mayProbe(hold: Hold, now: number, { deviceId, isNew }: Candidate): boolean {
    if (hold.cause === "throttled" || now < this.#quietUntil) return false;
    if (hold.cause === "failing" && this.#othersLeft > 0 && !this.#count.hasFailedFor(deviceId)) {
      this.#othersLeft -= 1;
      return true;
    }
    if (this.#probes > 0) return false;
    if (now >= hold.until) return true;
    return hold.cause === "failing" && isNew && now - this.#probedAt >= NEW_PROBE_MS;
  }

  #refuse(reason: Reason, { isProbe, now }: Noted): BreakerChange | null {
    const before = this.#hold?.cause === "credentials" ? this.#hold : null;
    // Attempts that were under way at the first refusal say the same, and do not put off the probe.
    if (before !== null && !isProbe) return null;
    const until = now + CREDENTIALS_PROBE_MS;
    this.#hold = {
      cause: "credentials",
      reason,
      since: before?.since ?? now,
      until,
      isForDevice: false,
    };
    this.#suspicion = null;
    return before === null ? "held" : null;
  }

  #suspect(reason: Reason, { deviceId, isProbe, now }: Noted): BreakerChange | null {
    this.#refused.add(deviceId, reason, now);
    if (isProbe) this.#probeAgain(now);
    const isKnown = this.#hold?.cause === "credentials" || this.#suspicion !== null;
    if (isKnown || now - this.#acceptedAt < TRUSTED_MS) return null;
    this.#suspicion = { cause: "credentials", reason, since: now, until: now, isForDevice: true };
    return "suspected";
  }

  #answer({ startedAt, isProbe, now }: Noted, isProof: boolean): BreakerChange | null {
    this.#count.answered(now);
    const trouble = this.#hold ?? this.#suspicion;
    if (trouble === null || trouble.cause === "throttled") return null;
    // An answer to a message that was sent before the trouble began does not prove that it is over.
    const isNews = startedAt > trouble.since || (isProbe && startedAt === trouble.since);
    if (isProof && isNews) {
      this.#hold = null;
      this.#suspicion = null;
      return "released";
    }
    if (isProbe) this.#probeAgain(now);
    return null;
  }

  #throttle({ reason, afterMs }: Outcome & { kind: "retry" }, now: number): BreakerChange | null {
    const hold = this.#hold;
    this.#quietUntil = Math.max(this.#quietUntil, now + (afterMs ?? THROTTLED_MS));
    const until = Math.max(hold?.until ?? Number.NEGATIVE_INFINITY, this.#quietUntil);
    if (hold !== null && hold.cause !== "throttled") {
      this.#hold = { ...hold, until };
      return null;
    }
    const isNew = hold === null || now >= hold.until;
    this.#hold = {
      cause: "throttled",
      reason,
      since: isNew ? now : hold.since,
      until,
      isForDevice: false,
    };
    return isNew ? "held" : null;
  }

  #fail(reason: Reason, { deviceId, isProbe, now }: Noted): BreakerChange | null {
    const isService = this.#count.failed(now, deviceId);
    const hold = this.#holdNow(now);
    if (hold !== null && hold.cause !== "throttled") {
      if (isProbe) this.#failAgain(hold, reason, now);
      return null;
    }
    if (!isService) return null;
    this.#probeDelayMs = FAILING_PROBE_MS;
    this.#othersLeft = OTHER_DEVICES_MAX;
    const until = Math.max(now + FAILING_PROBE_MS, this.#quietUntil);
    this.#hold = { cause: "failing", reason, since: now, until, isForDevice: false };
    return "held";
  }

  /** A probe before its time proves nothing new; credentials stay refused while the service cannot be asked. */
  #failAgain(hold: Hold, reason: Reason, now: number): void {
    if (now < hold.until) return;
    if (hold.cause === "credentials") {
      this.#hold = { ...hold, until: now + CREDENTIALS_PROBE_MS };
      return;
    }
    const max = reason.code === "unreachable" ? UNREACHABLE_PROBE_MAX_MS : FAILING_PROBE_MAX_MS;
    this.#probeDelayMs = Math.min(this.#probeDelayMs * 2, max);
    this.#othersLeft = OTHER_DEVICES_MAX;
    this.#hold = { ...hold, reason, until: now + this.#probeDelayMs };
  }

  /** The probe proved nothing: another message may probe instead. */
  #probeAgain(now: number): void {
    if (this.#hold !== null) this.#hold = { ...this.#hold, until: Math.min(this.#hold.until, now) };
  }
}

/** Returns whether an attempt failed for a trouble of the service rather than of the device. */
export function isServiceTrouble(outcome: Outcome): boolean {
  return outcome.kind === "retry" && outcome.isNoSign !== true && TROUBLE.has(outcome.reason.code);
}

const TROUBLE: ReadonlySet<string> = new Set(["transient", "ambiguous", "unreachable"]);
