import type { Outcome, Reason } from "#providers/provider.ts";
import { FailureCount } from "./failure-count.ts";
import type { Hold } from "./hold.ts";
import { RefusedDevices } from "./refused-devices.ts";

/** A message to be admitted. */
export interface Candidate {
  readonly deviceId: string;
  /** True before its first outcome or wait, while a caller may wait for it. */
  readonly isNew: boolean;
}

export type Admission =
  | { readonly kind: "go"; readonly isProbe: boolean }
  | { readonly kind: "held"; readonly hold: Hold };

/** The outcome of one admitted attempt. */
export interface Noted {
  readonly deviceId: string;
  /** Null if this process aborted the attempt, which proves nothing about the service. */
  readonly outcome: Outcome | null;
  readonly isProbe: boolean;
  /** On the monotonic clock, like `now`. */
  readonly startedAt: number;
  readonly now: number;
}

/** `suspected` alerts the operator, but messages are still sent. */
export type BreakerChange = "held" | "suspected" | "released";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** Interval of probes while credentials are refused, because an operator has to correct them first. */
const CREDENTIALS_PROBE_MS = 5 * MINUTE_MS;
/** First delay before a probe of a failing service, which doubles. A probe costs little, and an alarm may be waiting; … */
const FAILING_PROBE_MS = 30 * SECOND_MS;
const FAILING_PROBE_MAX_MS = 2 * MINUTE_MS;
/** … the longest delay for an unreachable service, because a probe then costs it nothing; … */
const UNREACHABLE_PROBE_MAX_MS = MINUTE_MS;
/** … the interval at which a new message may probe earlier; … */
const NEW_PROBE_MS = 10 * SECOND_MS;
/** … and the number of devices without a failure that may probe, because the service may fail for only the others. */
const OTHER_DEVICES_MAX = 5;
/** Length of a throttle for which the service names no delay. */
const THROTTLED_MS = MINUTE_MS;
/** Time after an accepted message in which a refusal does not put our credentials under suspicion. */
const TRUSTED_MS = 5 * MINUTE_MS;

/**
 * The circuit breaker of one service. While the service refuses our credentials or fails, it gets occasional half-open probes
 * until one is accepted. All other messages wait, without counting against their devices. All times are on the monotonic clock.
 */
export class Breaker {
  readonly #failures = new FailureCount();
  readonly #refused = new RefusedDevices();
  #hold: Hold | null = null;
  #suspicion: Hold | null = null;
  /** End of a throttle. Until then nothing is sent, not even a probe. */
  #quietUntil = Number.NEGATIVE_INFINITY;
  #probes = 0;
  #probedAt = Number.NEGATIVE_INFINITY;
  #probeDelayMs = FAILING_PROBE_MS;
  #otherDevicesLeft = 0;
  #acceptedAt = Number.NEGATIVE_INFINITY;

  /** Admits a message, as a probe if the service is held. The outcome of an admitted message must be noted. */
  admit(now: number, candidate: Candidate): Admission {
    const deviceHold = this.#refused.holdOf(candidate.deviceId, now);
    if (deviceHold !== null) return { kind: "held", hold: deviceHold };
    const hold = this.#holdNow(now);
    if (hold === null) return { kind: "go", isProbe: false };
    if (!this.#mayProbe(hold, now, candidate)) return { kind: "held", hold };
    this.#probes += 1;
    this.#probedAt = now;
    return { kind: "go", isProbe: true };
  }

  /** Returns why most messages wait; null if they are sent. */
  holdAt(now: number): Hold | null {
    return this.#holdNow(now);
  }

  /** Returns why a device's messages wait; null if they are sent. */
  waitOf(deviceId: string, now: number): Hold | null {
    return this.#refused.holdOf(deviceId, now) ?? this.holdAt(now);
  }

  /** Returns the hold or the suspicion; null if the service is healthy. */
  troubleAt(now: number): Hold | null {
    return this.holdAt(now) ?? this.#suspicion;
  }

  /** Returns whether a waiting message would be admitted as a probe. */
  isProbeDue(now: number): boolean {
    const hold = this.holdAt(now);
    return hold !== null && now >= hold.until && now >= this.#quietUntil && this.#probes === 0;
  }

  /** Notes an outcome; returns the resulting change of the service, if any. */
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
        return this.#recordResponse(noted, true);
      case "gone":
        return this.#recordResponse(noted, this.#hold?.cause === "failing");
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

  /** Returns the hold. A throttle ends only by time. */
  #holdNow(now: number): Hold | null {
    const hold = this.#hold;
    return hold?.cause === "throttled" && now >= hold.until ? null : hold;
  }

  #mayProbe(hold: Hold, now: number, { deviceId, isNew }: Candidate): boolean {
    if (hold.cause === "throttled" || now < this.#quietUntil) return false;
    if (
      hold.cause === "failing" &&
      this.#otherDevicesLeft > 0 &&
      !this.#failures.hasFailedFor(deviceId)
    ) {
      this.#otherDevicesLeft -= 1;
      return true;
    }
    if (this.#probes > 0) return false;
    if (now >= hold.until) return true;
    return hold.cause === "failing" && isNew && now - this.#probedAt >= NEW_PROBE_MS;
  }

  #refuse(reason: Reason, { isProbe, now }: Noted): BreakerChange | null {
    const before = this.#hold?.cause === "credentials" ? this.#hold : null;
    // Attempts that were under way at the first refusal are refused too. They do not delay the probe.
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

  #recordResponse({ startedAt, isProbe, now }: Noted, isProof: boolean): BreakerChange | null {
    this.#failures.recordResponse(now);
    const trouble = this.#hold ?? this.#suspicion;
    if (trouble === null || trouble.cause === "throttled") return null;
    // A response to a message sent before the trouble began does not prove that it has ended.
    const isSentSince = startedAt > trouble.since || (isProbe && startedAt === trouble.since);
    if (isProof && isSentSince) {
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
    const isService = this.#failures.recordFailure(now, deviceId);
    const hold = this.#holdNow(now);
    if (hold !== null && hold.cause !== "throttled") {
      if (isProbe) this.#failAgain(hold, reason, now);
      return null;
    }
    if (!isService) return null;
    this.#probeDelayMs = FAILING_PROBE_MS;
    this.#otherDevicesLeft = OTHER_DEVICES_MAX;
    const until = Math.max(now + FAILING_PROBE_MS, this.#quietUntil);
    this.#hold = { cause: "failing", reason, since: now, until, isForDevice: false };
    return "held";
  }

  /** Notes a failed probe. An early probe proves nothing new, and a failure does not end a refusal of credentials. */
  #failAgain(hold: Hold, reason: Reason, now: number): void {
    if (now < hold.until) return;
    if (hold.cause === "credentials") {
      this.#hold = { ...hold, until: now + CREDENTIALS_PROBE_MS };
      return;
    }
    const max = reason.code === "unreachable" ? UNREACHABLE_PROBE_MAX_MS : FAILING_PROBE_MAX_MS;
    this.#probeDelayMs = Math.min(this.#probeDelayMs * 2, max);
    this.#otherDevicesLeft = OTHER_DEVICES_MAX;
    this.#hold = { ...hold, reason, until: now + this.#probeDelayMs };
  }

  /** Lets another message probe, because the last probe proved nothing. */
  #probeAgain(now: number): void {
    if (this.#hold !== null) this.#hold = { ...this.#hold, until: Math.min(this.#hold.until, now) };
  }
}

/** Returns whether an attempt failed because of the service and not the device. */
export function isServiceTrouble(outcome: Outcome): boolean {
  return outcome.kind === "retry" && outcome.isNoSign !== true && TROUBLE.has(outcome.reason.code);
}

const TROUBLE: ReadonlySet<string> = new Set(["transient", "ambiguous", "unreachable"]);
