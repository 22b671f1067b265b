import type { Outcome, Reason } from "#providers/provider.ts";
import { FailureCount } from "./failure-count.ts";
import type { Hold } from "./hold.ts";
import { RefusedDevices } from "./refused-devices.ts";
import { ClockRollback } from "../clock-rollback.ts";

/** A message that asks to go. */
export interface Candidate {
  readonly deviceId: string;
  /** Nothing came of it yet, not even a wait: somebody waits for it, or sleeps. */
  readonly isNew: boolean;
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

/** `suspected`: the operator is told, but every message goes. */
export type BreakerChange = "held" | "suspected" | "released";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Refused credentials are tried this often: an operator has to mend them first. */
const CREDENTIALS_PROBE_MS = 5 * MINUTE;
/** A failing service is tried after this, doubling; one message costs it nothing, and what waits may be an alarm; … */
const FAILING_PROBE_MS = 30 * SECOND;
const FAILING_PROBE_MAX_MS = 2 * MINUTE;
/** … sooner where it cannot even be reached, as that asks nothing of it; … */
const UNREACHABLE_PROBE_MAX_MS = MINUTE;
/** … by a new message at any time, but not oftener than this; … */
const NEW_PROBE_MS = 10 * SECOND;
/** … and by so many devices that had no part in its failures: it may fail for the others alone. */
const OTHER_DEVICES_MAX = 5;
/** What a service that asks for patience without saying how much is given. */
const THROTTLED_MS = MINUTE;
/** A service that accepted a message within this does not refuse our credentials. */
const TRUSTED_MS = 5 * MINUTE;

/**
 * Decides whether one service is given messages. A service that refuses our credentials or fails is given
 * one message now and then, until one is accepted; everything else waits, and no device is blamed.
 */
export class Breaker {
  readonly #count = new FailureCount();
  readonly #refused = new RefusedDevices();
  #hold: Hold | null = null;
  #suspicion: Hold | null = null;
  /** The service asked for patience until then: nothing goes, not even a probe. */
  #quietUntil = 0;
  #probes = 0;
  #probedAt = Number.NEGATIVE_INFINITY;
  #probeDelayMs = FAILING_PROBE_MS;
  #othersLeft = 0;
  #acceptedAt = Number.NEGATIVE_INFINITY;
  readonly #clock = new ClockRollback();

  /** Lets a message go, as a probe where the service is held; what goes must be noted. */
  admit(now: number, candidate: Candidate): Admission {
    this.#seeClock(now);
    const alone = this.#refused.holdOf(candidate.deviceId, now);
    if (alone !== null) return { kind: "held", hold: alone };
    const hold = this.#holdNow(now);
    if (hold === null) return { kind: "go", isProbe: false };
    if (!this.#mayProbe(hold, now, candidate)) return { kind: "held", hold };
    this.#probes += 1;
    this.#probedAt = now;
    return { kind: "go", isProbe: true };
  }

  /** The reason why most messages wait; null where they go. */
  holdAt(now: number): Hold | null {
    this.#seeClock(now);
    return this.#holdNow(now);
  }

  /** The reason why a device's messages wait; null where they go. */
  waitOf(deviceId: string, now: number): Hold | null {
    return this.#refused.holdOf(deviceId, now) ?? this.holdAt(now);
  }

  /** What is held against the service, or suspected; null where it does well. */
  troubleAt(now: number): Hold | null {
    return this.holdAt(now) ?? this.#suspicion;
  }

  /** True while a message that waits would be let through. */
  isProbeDue(now: number): boolean {
    const hold = this.holdAt(now);
    return hold !== null && now >= hold.until && now >= this.#quietUntil && this.#probes === 0;
  }

  /** Takes in what came of an attempt; says where that changed how the service stands. */
  note(noted: Noted): BreakerChange | null {
    const { outcome, deviceId, isProbe, now } = noted;
    this.#seeClock(now);
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

  /** A throttle that is over holds nobody, whether anybody asked since or not. */
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
    // What was under way when the first refusal came says the same, and does not put off the probe.
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
    // An answer to what was sent before the trouble began does not say that it is over.
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
    const until = Math.max(hold?.until ?? 0, this.#quietUntil);
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

  /** A probe before its time tells nothing new; credentials stay refused while the service cannot be asked. */
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

  /** The probe told nothing: another message may ask instead. */
  #probeAgain(now: number): void {
    if (this.#hold !== null) this.#hold = { ...this.#hold, until: Math.min(this.#hold.until, now) };
  }

  /** After the clock was set back, no moment of before means anything. */
  #seeClock(now: number): void {
    if (!this.#clock.note(now)) return;
    if (this.#hold !== null) this.#hold = { ...this.#hold, since: now, until: now };
    if (this.#suspicion !== null) this.#suspicion = { ...this.#suspicion, since: now };
    this.#quietUntil = 0;
    this.#probedAt = Number.NEGATIVE_INFINITY;
    this.#acceptedAt = Number.NEGATIVE_INFINITY;
  }
}

/** Says whether an attempt failed for what is rather the service's trouble than the device's. */
export function isServiceTrouble(outcome: Outcome): boolean {
  return outcome.kind === "retry" && outcome.isNoSign !== true && TROUBLE.has(outcome.reason.code);
}

const TROUBLE: ReadonlySet<string> = new Set(["transient", "ambiguous", "unreachable"]);
