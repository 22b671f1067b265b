import type { Outcome, Reason } from "#providers/provider.ts";
import { FailureCount } from "./failure-count.ts";
import type { Hold } from "./hold.ts";
import { isClockCorrected, RefusedDevices } from "./refused-devices.ts";

/** A message to be admitted. */
export interface Candidate {
  readonly deviceId: string;
  /** True before the first outcome or wait of the message, while a caller may wait for it. */
  readonly isNew: boolean;
}

/** The decision about a message: it is sent, sent as a half-open probe, or held. */
export type Admission =
  | { readonly kind: "go"; readonly isProbe: boolean }
  | { readonly kind: "held"; readonly hold: Hold };

/** The outcome of one admitted attempt. */
export interface AttemptOutcome {
  readonly deviceId: string;
  /** Null if this process aborted the attempt, which proves nothing about the service. */
  readonly outcome: Outcome | null;
  readonly isProbe: boolean;
  /** A time on the monotonic clock, like `now`. */
  readonly startedAt: number;
  readonly now: number;
}

/** `suspected` alerts the operator, but messages are still sent. */
export type BreakerChange = "held" | "suspected" | "released";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** Interval of probes while credentials are refused, because an operator has to correct them first. */
const CREDENTIALS_PROBE_MS = 5 * MINUTE_MS;
/**
 * First delay before a probe of a failing service. The delay doubles with each failed probe. A probe costs little, and
 * an alarm may be waiting.
 */
const FAILING_PROBE_MS = 30 * SECOND_MS;
/** Longest delay before a probe of a failing service. */
const FAILING_PROBE_MAX_MS = 2 * MINUTE_MS;
/**
 * Longest delay before a probe of an unreachable service. This delay is shorter, because such a probe costs the service
 * nothing.
 */
const UNREACHABLE_PROBE_MAX_MS = MINUTE_MS;
/** Shortest time between the last probe and an early probe with a new message, before the regular one is due. */
const EARLY_PROBE_INTERVAL_MS = 10 * SECOND_MS;
/**
 * Number of immediate probes with devices without a failure, because the service may fail only for the others. A failed
 * regular probe allows as many again.
 */
const OTHER_DEVICE_PROBES_MAX = 5;
/** Length of a throttle if the service names no delay. */
const THROTTLE_DEFAULT_MS = MINUTE_MS;
/** Time after an accepted message in which a refusal does not put our credentials under suspicion. */
const TRUSTED_MS = 5 * MINUTE_MS;

/**
 * The circuit breaker of one service. While the service refuses our credentials or fails, it gets occasional half-open
 * probes until a response proves its recovery. A throttled service gets nothing until the throttle ends. All other
 * messages wait, without counting against their devices. All times are on the monotonic clock.
 */
export class Breaker {
  readonly #failures = new FailureCount();
  readonly #refused: RefusedDevices;
  readonly #getClockOffset: () => number;
  #hold: Hold | null = null;
  /**
   * The offset of the clock at the latest refusal of our credentials, or at the latest correction that allowed a probe.
   */
  #probedOffset = 0;
  #suspicion: Hold | null = null;
  /** End of a throttle. Until then nothing is sent, not even a probe. */
  #throttledUntil = Number.NEGATIVE_INFINITY;
  #runningProbes = 0;
  #probedAt = Number.NEGATIVE_INFINITY;
  #probeDelayMs = FAILING_PROBE_MS;
  #otherDeviceProbes = 0;
  #acceptedAt = Number.NEGATIVE_INFINITY;

  /** `getClockOffset` returns the wall clock minus the monotonic clock. */
  constructor(getClockOffset: () => number) {
    this.#getClockOffset = getClockOffset;
    this.#refused = new RefusedDevices(getClockOffset);
  }

  /** Admits a message, as a probe if the service is held. The outcome of an admitted message must be recorded. */
  admit(now: number, candidate: Candidate): Admission {
    const deviceHold = this.#refused.findHold(candidate.deviceId, now);
    if (deviceHold !== null) return { kind: "held", hold: deviceHold };
    const hold = this.#getCurrentHold(now);
    if (hold === null) return { kind: "go", isProbe: false };
    if (!this.#mayProbe(hold, now, candidate)) return { kind: "held", hold };
    this.#runningProbes += 1;
    this.#probedAt = now;
    return { kind: "go", isProbe: true };
  }

  /** Returns the hold of the whole service; null if its messages are sent. */
  getHold(now: number): Hold | null {
    return this.#getCurrentHold(now);
  }

  /** Returns the hold of a device or of its service; null if the device's messages are sent. */
  getDeviceHold(deviceId: string, now: number): Hold | null {
    return this.#refused.findHold(deviceId, now) ?? this.getHold(now);
  }

  /** Returns the hold or the suspicion; null if the service is healthy. */
  getTrouble(now: number): Hold | null {
    return this.getHold(now) ?? this.#suspicion;
  }

  /** Returns whether a waiting message would be admitted as a probe. */
  isProbeDue(now: number): boolean {
    const hold = this.getHold(now);
    return (
      hold !== null && now >= hold.until && now >= this.#throttledUntil && this.#runningProbes === 0
    );
  }

  /** Records an outcome; returns the resulting change of the service, if any. */
  recordOutcome(attempt: AttemptOutcome): BreakerChange | null {
    const { outcome, deviceId, isProbe, now } = attempt;
    if (isProbe) this.#runningProbes -= 1;
    switch (outcome?.kind) {
      case "refused":
        return outcome.mayConcernOnlyDevice === true
          ? this.#recordDeviceRefusal(outcome.reason, attempt)
          : this.#recordRefusal(outcome.reason, attempt);
      case "accepted":
        this.#acceptedAt = now;
        this.#refused.delete(deviceId);
        return this.#recordResponse(attempt, true);
      case "gone":
        return this.#recordResponse(attempt, this.#hold?.cause === "failing");
      case "retry":
        if (outcome.affectsAllDevices === true) return this.#recordThrottle(outcome, now);
        if (isServiceFailure(outcome)) return this.#recordFailure(outcome.reason, attempt);
        break;
      case "rejected":
      case "kept":
      case "skipped":
      case undefined:
    }
    if (isProbe) this.#allowProbe(now);
    return null;
  }

  /**
   * Returns the hold. A throttle ends only by time. A correction of the clock makes a probe of refused credentials due.
   */
  #getCurrentHold(now: number): Hold | null {
    const hold = this.#hold;
    if (hold?.cause === "credentials" && now < hold.until) {
      const clockOffset = this.#getClockOffset();
      if (!isClockCorrected(this.#probedOffset, clockOffset)) return hold;
      this.#probedOffset = clockOffset;
      return (this.#hold = { ...hold, until: now });
    }
    return hold?.cause === "throttled" && now >= hold.until ? null : hold;
  }

  #mayProbe(hold: Hold, now: number, { deviceId, isNew }: Candidate): boolean {
    if (hold.cause === "throttled" || now < this.#throttledUntil) return false;
    if (
      hold.cause === "failing" &&
      this.#otherDeviceProbes > 0 &&
      !this.#failures.hasFailedFor(deviceId)
    ) {
      this.#otherDeviceProbes -= 1;
      return true;
    }
    if (this.#runningProbes > 0) return false;
    if (now >= hold.until) return true;
    return hold.cause === "failing" && isNew && now - this.#probedAt >= EARLY_PROBE_INTERVAL_MS;
  }

  #recordRefusal(reason: Reason, { isProbe, now }: AttemptOutcome): BreakerChange | null {
    const previousHold = this.#hold?.cause === "credentials" ? this.#hold : null;
    // Attempts that were under way at the first refusal are refused too. They do not delay the probe.
    if (previousHold !== null && !isProbe) return null;
    const until = now + CREDENTIALS_PROBE_MS;
    this.#probedOffset = this.#getClockOffset();
    this.#hold = {
      cause: "credentials",
      reason,
      since: previousHold?.since ?? now,
      until,
      isForDevice: false,
    };
    this.#suspicion = null;
    return previousHold === null ? "held" : null;
  }

  #recordDeviceRefusal(
    reason: Reason,
    { deviceId, isProbe, now }: AttemptOutcome,
  ): BreakerChange | null {
    this.#refused.add(deviceId, reason, now);
    if (isProbe) this.#allowProbe(now);
    const isKnown = this.#hold?.cause === "credentials" || this.#suspicion !== null;
    if (isKnown || now - this.#acceptedAt < TRUSTED_MS) return null;
    this.#suspicion = { cause: "credentials", reason, since: now, until: now, isForDevice: true };
    return "suspected";
  }

  #recordResponse(
    { startedAt, isProbe, now }: AttemptOutcome,
    isProof: boolean,
  ): BreakerChange | null {
    this.#failures.recordResponse(now);
    const trouble = this.#hold ?? this.#suspicion;
    if (trouble === null || trouble.cause === "throttled") return null;
    // A response to a message sent before the trouble began does not prove that it has ended.
    const wasSentSince = startedAt > trouble.since || (isProbe && startedAt === trouble.since);
    if (isProof && wasSentSince) {
      this.#hold = null;
      this.#suspicion = null;
      return "released";
    }
    if (isProbe) this.#allowProbe(now);
    return null;
  }

  #recordThrottle(
    { reason, afterMs }: Outcome & { kind: "retry" },
    now: number,
  ): BreakerChange | null {
    const hold = this.#hold;
    this.#throttledUntil = Math.max(this.#throttledUntil, now + (afterMs ?? THROTTLE_DEFAULT_MS));
    const until = Math.max(hold?.until ?? Number.NEGATIVE_INFINITY, this.#throttledUntil);
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

  #recordFailure(reason: Reason, { deviceId, isProbe, now }: AttemptOutcome): BreakerChange | null {
    const isServiceFailing = this.#failures.recordFailure(now, deviceId);
    const hold = this.#getCurrentHold(now);
    if (hold !== null && hold.cause !== "throttled") {
      if (isProbe) this.#recordFailedProbe(hold, reason, now);
      return null;
    }
    if (!isServiceFailing) return null;
    this.#probeDelayMs = FAILING_PROBE_MS;
    this.#otherDeviceProbes = OTHER_DEVICE_PROBES_MAX;
    const until = Math.max(now + FAILING_PROBE_MS, this.#throttledUntil);
    this.#hold = { cause: "failing", reason, since: now, until, isForDevice: false };
    return "held";
  }

  /** Records a failed probe. An early probe proves nothing new, and a failure does not end a refusal of credentials. */
  #recordFailedProbe(hold: Hold, reason: Reason, now: number): void {
    if (now < hold.until) return;
    if (hold.cause === "credentials") {
      this.#hold = { ...hold, until: now + CREDENTIALS_PROBE_MS };
      return;
    }
    const max = reason.code === "unreachable" ? UNREACHABLE_PROBE_MAX_MS : FAILING_PROBE_MAX_MS;
    this.#probeDelayMs = Math.min(this.#probeDelayMs * 2, max);
    this.#otherDeviceProbes = OTHER_DEVICE_PROBES_MAX;
    this.#hold = { ...hold, reason, until: now + this.#probeDelayMs };
  }

  /** Lets another message probe, because the last probe proved nothing. */
  #allowProbe(now: number): void {
    if (this.#hold !== null) this.#hold = { ...this.#hold, until: Math.min(this.#hold.until, now) };
  }
}

/** Returns whether an outcome counts as a failure of the service. */
export function isServiceFailure(outcome: Outcome): boolean {
  return (
    outcome.kind === "retry" &&
    outcome.isInconclusive !== true &&
    SERVICE_FAILURE_CODES.has(outcome.reason.code)
  );
}

const SERVICE_FAILURE_CODES: ReadonlySet<string> = new Set([
  "transient",
  "ambiguous",
  "unreachable",
]);
