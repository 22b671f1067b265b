import type { Outcome } from "#providers/provider.ts";
import { Breaker } from "./breaker.ts";
import type { Admission, BreakerChange, Candidate, Noted } from "./breaker.ts";
import type { Wait } from "../delivery.ts";
import type { Hold, HoldCause } from "./hold.ts";
import { ServiceRecords } from "./service-records.ts";
import type { ServiceTrouble } from "./service-troubles.ts";
import { UsualRate } from "./usual-rate.ts";

/** The change of a service to held, suspected or released. */
export interface ServiceChange {
  /** The name from `Provider.serviceOf`. */
  readonly service: string;
  readonly kind: BreakerChange;
  /** The trouble that begins or ends. */
  readonly hold: Hold;
}

export interface BreakersOptions {
  /** The wall clock, in milliseconds since the epoch, for times that leave this class. */
  readonly now: () => number;
  /** A monotonic clock, in milliseconds, for all stored times. */
  readonly elapsed: () => number;
  /** Identifies this process; never reused. */
  readonly nodeId: string;
  /** Must not throw. */
  readonly onChange: (change: ServiceChange) => void;
  /** Called when a service is released, with the highest rate at which it accepted messages; must not throw. */
  readonly onBack: (service: string, usualPerSecond: number) => void;
}

interface Service {
  readonly breaker: Breaker;
  /** Pending while the service's very first message is under way. Its outcome may spare the others a refusal. */
  first: Promise<void> | null;
  endFirst: () => void;
  /** Number of the last release, counted over all services; 0 before the first. */
  release: number;
  /** Time of the last request for a probe. */
  probeRequestedAt: number;
  readonly usual: UsualRate;
  /** True once the service responded properly. */
  hasResponded: boolean;
}

/** Longest wait of other messages for the first. */
const FIRST_WAIT_MS = 1_000;
/** Maximum of services probed in one round, because each needs a statement. The next round follows immediately. */
const PROBED_SERVICES_MAX = 20;
/** Interval between two requests for a probe, because the job that was made due may have ended. */
const PROBE_EVERY_MS = 30_000;
/** Prefix of services that any account can add by registering a browser; … */
const OPEN_PREFIX = "webpush ";
/** … and the maximum of remembered services. Services that ever responded are preferred. */
const SERVICES_MAX = 1_000;

/** The breakers of all services, by service name. */
export class Breakers {
  readonly #options: BreakersOptions;
  #releases = 0;
  /** All services in the order of their last use. */
  readonly #services = new Map<string, Service>();
  /** The latest outcomes by provider. */
  readonly records = new ServiceRecords();
  /** The few services with trouble among possibly many. */
  readonly #troubled = new Map<string, Service>();

  /** Services that jobs of other processes wait for and that have not responded here, with the time of the last probe request. */
  readonly #inherited = new Map<string, number>();

  constructor(options: BreakersOptions) {
    this.#options = options;
  }

  /** Takes over services that jobs wait for. Their first proper response in this process releases the jobs. */
  inherit(services: readonly string[]): void {
    const now = this.#options.elapsed();
    for (const service of services) this.#inherited.set(service, now);
  }

  /** Takes over the services that the given devices wait for, if another process recorded the wait. */
  inheritWaits(pending: readonly { readonly waitsFor: Wait | null }[]): void {
    for (const { waitsFor } of pending) {
      const isOther = waitsFor !== null && !waitsFor.epoch.startsWith(`${this.#options.nodeId} `);
      const isKnown = isOther && this.#inherited.has(waitsFor.service);
      if (isOther && !isKnown && this.#inherited.size < SERVICES_MAX)
        this.inherit([waitsFor.service]);
    }
  }

  /** Forgets a service that no job waits for. */
  disinherit(service: string): void {
    this.#inherited.delete(service);
  }

  /** Releases the jobs of a service again, because some waits were recorded after its release. */
  releaseAgain(service: string): void {
    if (this.#services.get(service)?.breaker.holdAt(this.#options.elapsed()) === null)
      this.#notifyBack(service);
  }

  /**
   * Admits a message or returns why it waits. Also returns the epoch of this decision, because the service may be released before
   * the caller resumes. The outcome of an admitted message must be noted. With `isFirstAlone`, other messages await the first.
   */
  async admit(
    name: string,
    candidate: Candidate & { readonly isFirstAlone: boolean },
  ): Promise<Admission & { readonly epoch: string }> {
    const existing = this.#services.get(name);
    const service = existing ?? this.#createService();
    this.#markUsed(name, service);
    if (existing !== undefined && candidate.isFirstAlone && service.first !== null) {
      await service.first;
    }
    const admission = service.breaker.admit(this.#options.elapsed(), candidate);
    const epoch = this.epochOf(name);
    if (admission.kind === "go") return { ...admission, epoch };
    return { kind: "held", hold: this.#withWallTimes(admission.hold), epoch };
  }

  /** Notes the outcome of an admitted message; `startedAt` is on the monotonic clock. */
  note(name: string, noted: Omit<Noted, "now">): void {
    this.records.note(name, { outcome: noted.outcome, at: this.#options.now() });
    const service = this.#services.get(name);
    if (noted.outcome?.kind === "accepted") service?.usual.note(this.#options.elapsed());
    if (isResponse(noted.outcome) && this.#inherited.delete(name)) this.#notifyBack(name);
    if (service === undefined) return;
    service.hasResponded ||= isResponse(noted.outcome);
    const { breaker } = service;
    const now = this.#options.elapsed();
    const before = breaker.troubleAt(now);
    const kind = breaker.note({ ...noted, now });
    service.endFirst();
    this.#updateTroubled(name, service);
    const hold = kind === "released" ? before : breaker.troubleAt(now);
    if (kind === null || hold === null) return;
    this.#options.onChange({ service: name, kind, hold: this.#withWallTimes(hold) });
  }

  /** Returns why a device's messages wait now; null if they are sent. */
  waitOf(name: string, deviceId: string): Hold | null {
    const hold = this.#services.get(name)?.breaker.waitOf(deviceId, this.#options.elapsed());
    return hold == null ? null : this.#withWallTimes(hold);
  }

  /** Returns the epoch of a service, which identifies this process and the service's last release. */
  epochOf(name: string): string {
    return `${this.#options.nodeId} ${this.#services.get(name)?.release ?? 0}`;
  }

  /** Returns whether the service was released since, or another process recorded the wait, perhaps with wrong credentials. */
  isReleasedSince({ service, epoch }: Wait): boolean {
    return epoch !== this.epochOf(service);
  }

  /** Returns whether a waiting device may be retried, because its service was released or a probe is due. */
  mayRetry(wait: Wait): boolean {
    if (this.isReleasedSince(wait)) return true;
    return this.#services.get(wait.service)?.breaker.isProbeDue(this.#options.elapsed()) === true;
  }

  /** Releases the services whose throttle has ended. */
  endThrottles(): void {
    const now = this.#options.elapsed();
    for (const [name, service] of this.#troubled) {
      if (service.breaker.troubleAt(now) !== null) continue;
      this.#troubled.delete(name);
      this.#release(name, service);
    }
  }

  /**
   * Returns at most 20 services that a waiting message should probe now, and notes the request. Services that ever responded come
   * first, then services whose last request is oldest.
   */
  takeProbesDue(): readonly string[] {
    const now = this.#options.elapsed();
    const due = new Map<string, { readonly requestedAt: number; readonly hasResponded: boolean }>();
    for (const [name, requestedAt] of this.#inherited) {
      const hasResponded = this.#services.get(name)?.hasResponded ?? true;
      if (now >= requestedAt + PROBE_EVERY_MS) due.set(name, { requestedAt, hasResponded });
    }
    for (const [name, service] of this.#troubled) {
      const { probeRequestedAt: requestedAt, hasResponded, breaker } = service;
      if (now < requestedAt + PROBE_EVERY_MS || !breaker.isProbeDue(now)) continue;
      due.set(name, { requestedAt, hasResponded });
    }
    const selected = [...due]
      .toSorted(([, a], [, b]) => rankOf(b) - rankOf(a) || a.requestedAt - b.requestedAt)
      .slice(0, PROBED_SERVICES_MAX)
      .map(([name]) => name);
    for (const name of selected) {
      if (this.#inherited.has(name)) this.#inherited.set(name, now);
      const troubled = this.#troubled.get(name);
      if (troubled !== undefined) troubled.probeRequestedAt = now;
    }
    return selected;
  }

  /** Returns the time of the next call of `takeProbesDue`, in milliseconds since the epoch; null if nothing is held. */
  nextProbeAt(): number | null {
    const now = this.#options.elapsed();
    const times = [...this.#troubled.values()].flatMap((service) => {
      const hold = service.breaker.holdAt(now);
      return hold === null ? [] : [Math.max(hold.until, service.probeRequestedAt + PROBE_EVERY_MS)];
    });
    for (const requestedAt of this.#inherited.values()) times.push(requestedAt + PROBE_EVERY_MS);
    return times.length === 0 ? null : this.#toWallTime(Math.min(...times));
  }

  /** Returns each service that is held or suspected, with the cause. */
  held(): readonly { readonly service: string; readonly cause: HoldCause }[] {
    return this.troubles().map(({ service, hold: { cause } }) => ({ service, cause }));
  }

  /** Returns each service that is held or suspected, with its trouble. */
  troubles(): readonly ServiceTrouble[] {
    const now = this.#options.elapsed();
    return [...this.#troubled].flatMap(([service, { breaker }]) => {
      const hold = breaker.troubleAt(now);
      return hold === null ? [] : [{ service, hold: this.#withWallTimes(hold) }];
    });
  }

  #withWallTimes(hold: Hold): Hold {
    const [since, until] = [this.#toWallTime(hold.since), this.#toWallTime(hold.until)];
    return { ...hold, since, until };
  }

  /** Converts a time on the monotonic clock to milliseconds since the epoch, by the present wall clock. */
  #toWallTime(elapsedAt: number): number {
    const { now, elapsed } = this.#options;
    return Math.ceil(now() + elapsedAt - elapsed());
  }

  #createService(): Service {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => endFirst(), FIRST_WAIT_MS).unref();
    const service: Service = {
      breaker: new Breaker(),
      first: promise,
      endFirst: () => endFirst(),
      release: 0,
      probeRequestedAt: Number.NEGATIVE_INFINITY,
      usual: new UsualRate(),
      hasResponded: false,
    };
    const endFirst = (): void => {
      clearTimeout(timer);
      service.first = null;
      resolve();
    };
    return service;
  }

  /** Adds or removes a service with trouble. Removing it releases the service, also after a throttle. */
  #updateTroubled(name: string, service: Service): void {
    if (service.breaker.troubleAt(this.#options.elapsed()) !== null)
      this.#troubled.set(name, service);
    else if (this.#troubled.delete(name)) this.#release(name, service);
  }

  #release(name: string, service: Service): void {
    service.release = this.#releases += 1;
    this.#notifyBack(name);
  }

  #notifyBack(name: string): void {
    this.#options.onBack(name, this.#services.get(name)?.usual.perSecond ?? 0);
  }

  #markUsed(name: string, service: Service): void {
    this.#services.delete(name);
    this.#services.set(name, service);
    if (this.#services.size <= SERVICES_MAX) return;
    const silent = this.#oldest((other) => !other.hasResponded && other !== service);
    const oldest = silent ?? this.#oldest(() => true);
    if (oldest === null) return;
    this.#services.delete(oldest);
    this.#troubled.delete(oldest);
  }

  /** Returns the least recently used service with the open prefix that matches. */
  #oldest(matches: (service: Service) => boolean): string | null {
    for (const [name, service] of this.#services) {
      if (name.startsWith(OPEN_PREFIX) && matches(service)) return name;
    }
    return null;
  }
}

function rankOf({ hasResponded }: { readonly hasResponded: boolean }): number {
  return hasResponded ? 1 : 0;
}

/** Returns whether an outcome is a proper response: neither a failure nor a refusal of our credentials. */
function isResponse(outcome: Outcome | null): boolean {
  return outcome !== null && outcome.kind !== "retry" && outcome.kind !== "refused";
}
