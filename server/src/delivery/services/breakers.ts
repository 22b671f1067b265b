import type { Outcome } from "#providers/provider.ts";
import { Breaker } from "./breaker.ts";
import type { Admission, BreakerChange, Candidate, Noted } from "./breaker.ts";
import type { Wait } from "../delivery.ts";
import type { Hold, HoldCause } from "./hold.ts";
import { ServiceRecords } from "./service-records.ts";
import type { ServiceTrouble } from "./service-troubles.ts";
import { UsualRate } from "./usual-rate.ts";

/** A service becomes held or suspected, or is released. */
export interface ServiceChange {
  /** As `Provider.serviceOf` names it. */
  readonly service: string;
  readonly kind: BreakerChange;
  /** The trouble that begins or ends. */
  readonly hold: Hold;
}

export interface BreakersOptions {
  /** Milliseconds since the epoch: for the moments that leave this class. */
  readonly now: () => number;
  /** A monotonic clock, in milliseconds: for everything kept here. */
  readonly elapsed: () => number;
  /** Identifies this process; never used again. */
  readonly nodeId: string;
  /** Must not throw. */
  readonly onChange: (change: ServiceChange) => void;
  /** Called when a service is released, with the messages per second that it took before; must not throw. */
  readonly onBack: (service: string, usualPerSecond: number) => void;
}

interface Service {
  readonly breaker: Breaker;
  /** Pending while the first message ever is under way: its outcome may save the others a refusal. */
  first: Promise<void> | null;
  endFirst: () => void;
  /** Number of its last release, among all services; 0 before the first. */
  release: number;
  /** Time of the last request for a probe. */
  probeAskedAt: number;
  readonly usual: UsualRate;
  /** True once it accepted a message. */
  hasAnswered: boolean;
}

/** Longest wait of the others for the first message. */
const FIRST_WAIT_MS = 1_000;
/** Services probed at once, as each needs a statement; the others follow right after. */
const PROBES_AT_ONCE = 20;
/** Interval between two requests for a probe: the job that was made due may be gone. */
const PROBE_ASK_MS = 30_000;
/** Services that anybody can name by registering a browser; … */
const OPEN_ENDED = "webpush ";
/** … so many are remembered, preferably those that ever answered. */
const OPEN_ENDED_MAX = 1_000;

/** The breakers of all services, by name. */
export class Breakers {
  readonly #options: BreakersOptions;
  #releases = 0;
  /** Services in the order of their last use. */
  readonly #services = new Map<string, Service>();
  /** The latest outcomes by provider. */
  readonly records = new ServiceRecords();
  /** The services with trouble: few, while there may be many services. */
  readonly #troubled = new Map<string, Service>();

  /** Services for which jobs of other processes wait, without an answer here so far; with the time of the last probe request. */
  readonly #inherited = new Map<string, number>();

  constructor(options: BreakersOptions) {
    this.#options = options;
  }

  /** Takes over services for which jobs wait: the first answer here releases them. */
  inherit(services: readonly string[]): void {
    const now = this.#options.elapsed();
    for (const service of services) this.#inherited.set(service, now);
  }

  /** Takes over the services for which another process's jobs wait that run here now. */
  inheritWaits(pending: readonly { readonly waitsFor: Wait | null }[]): void {
    for (const { waitsFor } of pending) {
      const isOther = waitsFor !== null && !waitsFor.epoch.startsWith(`${this.#options.nodeId} `);
      const isKnown = isOther && this.#inherited.has(waitsFor.service);
      if (isOther && !isKnown && this.#inherited.size < OPEN_ENDED_MAX)
        this.inherit([waitsFor.service]);
    }
  }

  /** Forgets a service for which no job waits. */
  disinherit(service: string): void {
    this.#inherited.delete(service);
  }

  /** Releases jobs whose wait was recorded after the service was released. */
  releaseAgain(service: string): void {
    if (this.#services.get(service)?.breaker.holdAt(this.#options.elapsed()) === null)
      this.#back(service);
  }

  /**
   * Admits a message or returns why it waits, with the epoch of that answer: a release may come before the caller resumes.
   * The outcome of an admitted message must be noted. With `isFirstAlone`, the others await the first.
   */
  async admit(
    name: string,
    candidate: Candidate & { readonly isFirstAlone: boolean },
  ): Promise<Admission & { readonly epoch: string }> {
    const known = this.#services.get(name);
    const service = known ?? this.#begin();
    this.#use(name, service);
    if (known !== undefined && candidate.isFirstAlone && service.first !== null) {
      await service.first;
    }
    const admission = service.breaker.admit(this.#options.elapsed(), candidate);
    const epoch = this.epochOf(name);
    if (admission.kind === "go") return { ...admission, epoch };
    return { kind: "held", hold: this.#toWall(admission.hold), epoch };
  }

  /** Notes the outcome of an admitted message; `startedAt` is by the monotonic clock. */
  note(name: string, noted: Omit<Noted, "now">): void {
    this.records.note(name, { outcome: noted.outcome, at: this.#options.now() });
    const service = this.#services.get(name);
    if (noted.outcome?.kind === "accepted") service?.usual.note(this.#options.elapsed());
    if (isAnswer(noted.outcome) && this.#inherited.delete(name)) this.#back(name);
    if (service === undefined) return;
    service.hasAnswered ||= isAnswer(noted.outcome);
    const { breaker } = service;
    const now = this.#options.elapsed();
    const before = breaker.troubleAt(now);
    const kind = breaker.note({ ...noted, now });
    service.endFirst();
    this.#remember(name, service);
    const hold = kind === "released" ? before : breaker.troubleAt(now);
    if (kind === null || hold === null) return;
    this.#options.onChange({ service: name, kind, hold: this.#toWall(hold) });
  }

  /** Returns why a device's messages wait now; null if they go. */
  waitOf(name: string, deviceId: string): Hold | null {
    const hold = this.#services.get(name)?.breaker.waitOf(deviceId, this.#options.elapsed());
    return hold == null ? null : this.#toWall(hold);
  }

  /** Returns the epoch of a service, which identifies this process and the service's last release. */
  epochOf(name: string): string {
    return `${this.#options.nodeId} ${this.#services.get(name)?.release ?? 0}`;
  }

  /** Returns whether the service was released since, or another process recorded the wait: credentials may be mended. */
  isReleasedSince({ service, epoch }: Wait): boolean {
    return epoch !== this.epochOf(service);
  }

  /** Returns whether a waiting device may be tried again: its service was released, or a probe is due. */
  mayAskAgain(wait: Wait): boolean {
    if (this.isReleasedSince(wait)) return true;
    return this.#services.get(wait.service)?.breaker.isProbeDue(this.#options.elapsed()) === true;
  }

  /** Releases the services that throttled and whose wait is over. */
  endThrottles(): void {
    const now = this.#options.elapsed();
    for (const [name, service] of this.#troubled) {
      if (service.breaker.troubleAt(now) !== null) continue;
      this.#troubled.delete(name);
      this.#release(name, service);
    }
  }

  /**
   * Returns at most 20 services that a waiting message should probe now, and marks them as asked: first those that ever
   * answered, then those asked longest ago.
   */
  takeProbesDue(): readonly string[] {
    const now = this.#options.elapsed();
    const due = new Map<string, { readonly askedAt: number; readonly hasAnswered: boolean }>();
    for (const [name, askedAt] of this.#inherited) {
      const hasAnswered = this.#services.get(name)?.hasAnswered ?? true;
      if (now >= askedAt + PROBE_ASK_MS) due.set(name, { askedAt, hasAnswered });
    }
    for (const [name, service] of this.#troubled) {
      const { probeAskedAt: askedAt, hasAnswered, breaker } = service;
      if (now < askedAt + PROBE_ASK_MS || !breaker.isProbeDue(now)) continue;
      due.set(name, { askedAt, hasAnswered });
    }
    const taken = [...due]
      .toSorted(([, one], [, other]) => rankOf(other) - rankOf(one) || one.askedAt - other.askedAt)
      .slice(0, PROBES_AT_ONCE)
      .map(([name]) => name);
    for (const name of taken) {
      if (this.#inherited.has(name)) this.#inherited.set(name, now);
      const troubled = this.#troubled.get(name);
      if (troubled !== undefined) troubled.probeAskedAt = now;
    }
    return taken;
  }

  /** Returns when `takeProbesDue` is to be called next, in milliseconds since the epoch; null if nothing is held. */
  nextProbeAt(): number | null {
    const now = this.#options.elapsed();
    const moments = [...this.#troubled.values()].flatMap((service) => {
      const hold = service.breaker.holdAt(now);
      return hold === null ? [] : [Math.max(hold.until, service.probeAskedAt + PROBE_ASK_MS)];
    });
    for (const askedAt of this.#inherited.values()) moments.push(askedAt + PROBE_ASK_MS);
    return moments.length === 0 ? null : this.#wallMomentOf(Math.min(...moments));
  }

  /** Returns every service that is held or suspected, with the cause. */
  held(): readonly { readonly service: string; readonly cause: HoldCause }[] {
    return this.troubles().map(({ service, hold: { cause } }) => ({ service, cause }));
  }

  /** Returns every service that is held or suspected, with its trouble. */
  troubles(): readonly ServiceTrouble[] {
    const now = this.#options.elapsed();
    return [...this.#troubled].flatMap(([service, { breaker }]) => {
      const hold = breaker.troubleAt(now);
      return hold === null ? [] : [{ service, hold: this.#toWall(hold) }];
    });
  }

  #toWall(hold: Hold): Hold {
    const [since, until] = [this.#wallMomentOf(hold.since), this.#wallMomentOf(hold.until)];
    return { ...hold, since, until };
  }

  /** Returns a moment of the monotonic clock in milliseconds since the epoch, as the wall clock goes now. */
  #wallMomentOf(moment: number): number {
    const { now, elapsed } = this.#options;
    return Math.ceil(now() + moment - elapsed());
  }

  #begin(): Service {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => endFirst(), FIRST_WAIT_MS).unref();
    const service: Service = {
      breaker: new Breaker(),
      first: promise,
      endFirst: () => endFirst(),
      release: 0,
      probeAskedAt: Number.NEGATIVE_INFINITY,
      usual: new UsualRate(),
      hasAnswered: false,
    };
    const endFirst = (): void => {
      clearTimeout(timer);
      service.first = null;
      resolve();
    };
    return service;
  }

  /** A release that the breaker did not report is the end of a throttle. */
  #remember(name: string, service: Service): void {
    if (service.breaker.troubleAt(this.#options.elapsed()) !== null)
      this.#troubled.set(name, service);
    else if (this.#troubled.delete(name)) this.#release(name, service);
  }

  #release(name: string, service: Service): void {
    service.release = this.#releases += 1;
    this.#back(name);
  }

  #back(name: string): void {
    this.#options.onBack(name, this.#services.get(name)?.usual.perSecond ?? 0);
  }

  #use(name: string, service: Service): void {
    this.#services.delete(name);
    this.#services.set(name, service);
    if (this.#services.size <= OPEN_ENDED_MAX) return;
    const forgotten = this.#oldest((one) => !one.hasAnswered && one !== service);
    const oldest = forgotten ?? this.#oldest(() => true);
    if (oldest === null) return;
    this.#services.delete(oldest);
    this.#troubled.delete(oldest);
  }

  /** Returns the service used longest ago of those that anybody may name and that match. */
  #oldest(isSuch: (service: Service) => boolean): string | null {
    for (const [name, service] of this.#services) {
      if (name.startsWith(OPEN_ENDED) && isSuch(service)) return name;
    }
    return null;
  }
}

function rankOf({ hasAnswered }: { readonly hasAnswered: boolean }): number {
  return hasAnswered ? 1 : 0;
}

/** Returns whether an outcome is an answer: neither a failure nor a refusal of ours. */
function isAnswer(outcome: Outcome | null): boolean {
  return outcome !== null && outcome.kind !== "retry" && outcome.kind !== "refused";
}
