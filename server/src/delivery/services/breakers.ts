import { Breaker, type Candidate, type AttemptOutcome } from "./breaker.ts";
import type { BreakersDeps, ServiceAdmission } from "./breakers-deps.ts";
import { isPushServiceWait, type ServiceWait } from "../delivery.ts";
import type { Hold, HoldCause } from "./hold.ts";
import { isProperResponse, ServiceRecords } from "./service-records.ts";
import type { ServiceTrouble } from "./service-troubles.ts";
import { UsualRate } from "./usual-rate.ts";

interface Service {
  readonly breaker: Breaker;
  /**
   * Resolves at the outcome of the service's first message, or after `FIRST_WAIT_MS`; null from then on. Other messages
   * await this promise, so that only one message meets a refusal.
   */
  firstOutcome: Promise<void> | null;
  endFirstWait: () => void;
  /** The number of the service's last release, in the order of the releases of all services; 0 before the first. */
  release: number;
  /** Time of the last request for a probe. */
  probeRequestedAt: number;
  readonly usualRate: UsualRate;
  /** True once the service responded properly. */
  hasResponded: boolean;
}

/** Longest wait of other messages for the first. */
const FIRST_WAIT_MS = 1_000;
/** Maximum number of services probed in one round, because each needs a statement. The next round follows at once. */
const PROBED_SERVICES_MAX = 20;
/** Time after which the request for a probe is repeated, because the job that was made due may have ended. */
const PROBE_PAUSE_MS = 30_000;
/** Prefix of services that any account can add by registering a browser. */
const OPEN_PREFIX = "webpush ";
/** Maximum number of services. More displace services with the open prefix, first those that never responded. */
const SERVICES_MAX = 1_000;

/** The breakers of all services, by service name. */
export class Breakers {
  readonly #deps: BreakersDeps;
  #releases = 0;
  /** All services in the order of their last use. */
  readonly #services = new Map<string, Service>();
  /** The latest outcomes by provider. */
  readonly records = new ServiceRecords();
  /** The services that are held or suspected: a few of possibly many. */
  readonly #troubled = new Map<string, Service>();
  /** Services that jobs of other processes wait for, until their first response, with the last probe request's time. */
  readonly #inherited = new Map<string, number>();

  constructor(deps: BreakersDeps) {
    this.#deps = deps;
  }

  /** Takes over services that jobs wait for. Their first proper response in this process releases the jobs. */
  inheritServices(services: readonly string[]): void {
    const now = this.#deps.elapsed();
    for (const service of services) this.#inherited.set(service, now);
  }

  /** Takes over the services that the given devices wait for, if another process recorded the wait. */
  inheritWaits(pending: readonly { readonly waitsFor: ServiceWait | null }[]): void {
    for (const { waitsFor } of pending) {
      const isOther = waitsFor !== null && isPushServiceWait(waitsFor) && this.#isOfOther(waitsFor);
      const isKnown = isOther && this.#inherited.has(waitsFor.service);
      if (isOther && !isKnown && this.#inherited.size < SERVICES_MAX)
        this.inheritServices([waitsFor.service]);
    }
  }

  /** Forgets a service that no job waits for. */
  forgetInherited(service: string): void {
    this.#inherited.delete(service);
  }

  /** Releases the jobs of a service again, because some waits were recorded after its release. */
  releaseAgain(service: string): void {
    if (this.#services.get(service)?.breaker.getHold(this.#deps.elapsed()) === null)
      this.#notifyReleased(service);
  }

  /**
   * Admits a message or returns why it waits. Also returns the epoch of this decision, because the service may be
   * released before the caller resumes. The outcome of an admitted message must be recorded. With `shouldAwaitFirst`, a
   * message waits for the outcome of the service's first one.
   */
  admit(
    name: string,
    candidate: Candidate & { readonly shouldAwaitFirst: boolean },
  ): ServiceAdmission | Promise<ServiceAdmission> {
    const existing = this.#services.get(name);
    const service = existing ?? this.#createService();
    this.#markUsed(name, service);
    const first =
      existing !== undefined && candidate.shouldAwaitFirst ? existing.firstOutcome : null;
    if (first !== null) return first.then(() => this.#admitNow(name, service, candidate));
    return this.#admitNow(name, service, candidate);
  }

  /** Records the outcome of an admitted message; `startedAt` is on the monotonic clock. */
  recordOutcome(name: string, attempt: Omit<AttemptOutcome, "now">): void {
    const { outcome } = attempt;
    this.records.recordOutcome(name, { outcome, at: this.#deps.now() });
    const service = this.#services.get(name);
    if (outcome?.kind === "accepted") service?.usualRate.recordAcceptance(this.#deps.elapsed());
    if (isProperResponse(outcome) && this.#inherited.delete(name)) this.#notifyReleased(name);
    if (service === undefined) return;
    service.hasResponded ||= isProperResponse(outcome);
    const { breaker } = service;
    const now = this.#deps.elapsed();
    const troubleBefore = breaker.getTrouble(now);
    const kind = breaker.recordOutcome({ ...attempt, now });
    service.endFirstWait();
    this.#updateTroubled(name, service);
    const hold = kind === "released" ? troubleBefore : breaker.getTrouble(now);
    if (kind === null || hold === null) return;
    this.#deps.onChange({ service: name, kind, hold: this.#toWallTimes(hold) });
  }

  /** Returns why a device's messages wait now; null if they are sent. */
  getDeviceHold(name: string, deviceId: string): Hold | null {
    const hold = this.#services.get(name)?.breaker.getDeviceHold(deviceId, this.#deps.elapsed());
    return hold == null ? null : this.#toWallTimes(hold);
  }

  /** Returns the epoch of a service, which identifies this process and the service's last release. */
  getEpoch(name: string): string {
    return `${this.#deps.nodeId} ${this.#services.get(name)?.release ?? 0}`;
  }

  /**
   * Returns whether the service was released since the wait. A wait of another process counts as released; the wait of
   * a device that fetches its messages never does.
   */
  isReleasedSince(wait: ServiceWait): boolean {
    return isPushServiceWait(wait) && wait.epoch !== this.getEpoch(wait.service);
  }

  /** Returns whether a waiting device may be retried, because its service was released or a probe is due. */
  mayRetry(wait: ServiceWait): boolean {
    if (this.isReleasedSince(wait)) return true;
    return this.#services.get(wait.service)?.breaker.isProbeDue(this.#deps.elapsed()) === true;
  }

  /** Releases the services whose throttle has ended. */
  endThrottles(): void {
    const now = this.#deps.elapsed();
    for (const [name, service] of this.#troubled) {
      if (service.breaker.getTrouble(now) !== null) continue;
      this.#troubled.delete(name);
      this.#release(name, service);
    }
  }

  /**
   * Returns at most 20 services that a waiting message should probe now, and records the request. Services that ever
   * responded come first, then services whose last request is oldest.
   */
  takeServicesToProbe(): readonly string[] {
    const now = this.#deps.elapsed();
    const due = new Map<string, { readonly requestedAt: number; readonly hasResponded: boolean }>();
    for (const [name, requestedAt] of this.#inherited) {
      const hasResponded = this.#services.get(name)?.hasResponded ?? true;
      if (now >= requestedAt + PROBE_PAUSE_MS) due.set(name, { requestedAt, hasResponded });
    }
    for (const [name, service] of this.#troubled) {
      const { probeRequestedAt: requestedAt, hasResponded, breaker } = service;
      if (now < requestedAt + PROBE_PAUSE_MS || !breaker.isProbeDue(now)) continue;
      due.set(name, { requestedAt, hasResponded });
    }
    const selected = [...due]
      .toSorted(
        ([, a], [, b]) =>
          Number(b.hasResponded) - Number(a.hasResponded) || a.requestedAt - b.requestedAt,
      )
      .slice(0, PROBED_SERVICES_MAX)
      .map(([name]) => name);
    for (const name of selected) {
      if (this.#inherited.has(name)) this.#inherited.set(name, now);
      const troubled = this.#troubled.get(name);
      if (troubled !== undefined) troubled.probeRequestedAt = now;
    }
    return selected;
  }

  /** Returns when to call `takeServicesToProbe` next, in milliseconds since the epoch; null if no service needs it. */
  getNextProbeAt(): number | null {
    const now = this.#deps.elapsed();
    const times = [...this.#troubled.values()].flatMap((service) => {
      const hold = service.breaker.getHold(now);
      return hold === null ? [] : [Math.max(hold.until, service.probeRequestedAt + PROBE_PAUSE_MS)];
    });
    for (const requestedAt of this.#inherited.values()) times.push(requestedAt + PROBE_PAUSE_MS);
    return times.length === 0 ? null : this.#toWallTime(Math.min(...times));
  }

  /** Returns each service whose messages wait, with the cause. */
  listHeld(): readonly { readonly service: string; readonly cause: HoldCause }[] {
    const now = this.#deps.elapsed();
    return [...this.#troubled].flatMap(([service, { breaker }]) => {
      const hold = breaker.getHold(now);
      return hold === null ? [] : [{ service, cause: hold.cause }];
    });
  }

  /** Returns each service that is only suspected to refuse our credentials: messages to it are still sent. */
  listSuspected(): readonly string[] {
    const now = this.#deps.elapsed();
    return [...this.#troubled].flatMap(([service, { breaker }]) =>
      breaker.getHold(now) === null && breaker.getTrouble(now) !== null ? [service] : [],
    );
  }

  /** Returns each service that is held or suspected, with its trouble. */
  listTroubles(): readonly ServiceTrouble[] {
    const now = this.#deps.elapsed();
    return [...this.#troubled].flatMap(([service, { breaker }]) => {
      const hold = breaker.getTrouble(now);
      return hold === null ? [] : [{ service, hold: this.#toWallTimes(hold) }];
    });
  }

  #isOfOther({ epoch }: ServiceWait): boolean {
    return !epoch.startsWith(`${this.#deps.nodeId} `);
  }

  #admitNow(name: string, { breaker }: Service, candidate: Candidate): ServiceAdmission {
    const admission = breaker.admit(this.#deps.elapsed(), candidate);
    const epoch = this.getEpoch(name);
    if (admission.kind === "go") return { ...admission, epoch };
    return { kind: "held", hold: this.#toWallTimes(admission.hold), epoch };
  }

  #toWallTimes(hold: Hold): Hold {
    return { ...hold, since: this.#toWallTime(hold.since), until: this.#toWallTime(hold.until) };
  }

  /** Converts a time on the monotonic clock to milliseconds since the epoch, by the present wall clock. */
  #toWallTime(elapsedAt: number): number {
    const { now, elapsed } = this.#deps;
    return Math.ceil(now() + elapsedAt - elapsed());
  }

  #createService(): Service {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => endFirstWait(), FIRST_WAIT_MS).unref();
    const service: Service = {
      breaker: new Breaker(() => this.#deps.now() - this.#deps.elapsed()),
      firstOutcome: promise,
      endFirstWait: () => endFirstWait(),
      release: 0,
      probeRequestedAt: Number.NEGATIVE_INFINITY,
      usualRate: new UsualRate(),
      hasResponded: false,
    };
    const endFirstWait = (): void => {
      clearTimeout(timer);
      service.firstOutcome = null;
      resolve();
    };
    return service;
  }

  /** Adds or removes a service with trouble. Removing it releases the service, also after a throttle. */
  #updateTroubled(name: string, service: Service): void {
    if (service.breaker.getTrouble(this.#deps.elapsed()) !== null)
      this.#troubled.set(name, service);
    else if (this.#troubled.delete(name)) this.#release(name, service);
  }

  #release(name: string, service: Service): void {
    service.release = this.#releases += 1;
    this.#notifyReleased(name);
  }

  #notifyReleased(name: string): void {
    this.#deps.onReleased(name, this.#services.get(name)?.usualRate.perSecond ?? 0);
  }

  /** Moves a service to the end of the order. Forgets another one if there are too many. */
  #markUsed(name: string, service: Service): void {
    this.#services.delete(name);
    this.#services.set(name, service);
    if (this.#services.size <= SERVICES_MAX) return;
    const oldestSilent = this.#findOldest((other) => !other.hasResponded && other !== service);
    const oldest = oldestSilent ?? this.#findOldest(() => true);
    if (oldest === null) return;
    this.#services.delete(oldest);
    this.#troubled.delete(oldest);
  }

  /** Returns the least recently used service with the open prefix that matches. */
  #findOldest(matches: (service: Service) => boolean): string | null {
    for (const [name, service] of this.#services) {
      if (name.startsWith(OPEN_PREFIX) && matches(service)) return name;
    }
    return null;
  }
}
