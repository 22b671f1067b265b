import type { Outcome } from "#providers/provider.ts";
import { Breaker } from "./breaker.ts";
import type { Admission, BreakerChange, Candidate, Noted } from "./breaker.ts";
import type { Wait } from "../delivery.ts";
import type { Hold, HoldCause } from "./hold.ts";
import { ServiceRecords } from "./service-records.ts";
import type { ServiceTrouble } from "./service-troubles.ts";
import { UsualRate } from "./usual-rate.ts";

/** A service that is held or suspected from now on, or given messages again. */
export interface ServiceChange {
  /** As `Provider.serviceOf` names it. */
  readonly service: string;
  readonly kind: BreakerChange;
  /** The trouble that began or ended. */
  readonly hold: Hold;
}

export interface BreakersOptions {
  readonly now: () => number;
  /** Of this process, never reused. */
  readonly nodeId: string;
  /** Must not throw. */
  readonly onChange: (change: ServiceChange) => void;
  /** Told that what waits for a service may go, and how many messages a second it took before; must not throw. */
  readonly onBack: (service: string, usualPerSecond: number) => void;
}

interface Service {
  readonly breaker: Breaker;
  /** Pending while the first message ever is under way: what comes of it may save the others a refusal. */
  first: Promise<void> | null;
  endFirst: () => void;
  /** The number of its last release, among all services; 0 before the first. */
  release: number;
  /** When somebody was last asked to probe. */
  probeAskedAt: number;
  readonly usual: UsualRate;
  /** It took what it was given, once at least. */
  hasAnswered: boolean;
}

/** The others do not wait for the first message longer than this. */
const FIRST_WAIT_MS = 1_000;
/** So many are asked at once, as each is a question to the database; the others right after. */
const PROBES_AT_ONCE = 20;
/** Nobody is asked to probe oftener: who was asked may be gone. */
const PROBE_ASK_MS = 30_000;
/** Whoever registers browsers can name any number of push services; so many are remembered, those first that ever answered. */
const OPEN_ENDED = "webpush ";
const OPEN_ENDED_MAX = 1_000;

/** The breakers of all services, by name. */
export class Breakers {
  readonly #options: BreakersOptions;
  #releases = 0;
  /** In the order of their last use. */
  readonly #services = new Map<string, Service>();
  /** What was heard of the services of each provider. */
  readonly records = new ServiceRecords();
  /** Of these, those with trouble: few, while there may be many services. */
  readonly #troubled = new Map<string, Service>();

  /** Services for which jobs of other processes wait, and from which this one has not heard; with when it asked. */
  readonly #inherited = new Map<string, number>();

  constructor(options: BreakersOptions) {
    this.#options = options;
  }

  /** Takes over that jobs wait for services: the first answer that one gives here lets them go. */
  inherit(services: readonly string[]): void {
    const now = this.#options.now();
    for (const service of services) this.#inherited.set(service, now);
  }

  /** Takes over what another process waits for, of which this one sends a part. */
  inheritWaits(pending: readonly { readonly waitsFor: Wait | null }[]): void {
    for (const { waitsFor } of pending) {
      const isOther = waitsFor !== null && !waitsFor.epoch.startsWith(`${this.#options.nodeId} `);
      const isKnown = isOther && this.#inherited.has(waitsFor.service);
      if (isOther && !isKnown && this.#inherited.size < OPEN_ENDED_MAX)
        this.inherit([waitsFor.service]);
    }
  }

  /** Forgets a service for which nobody waits. */
  disinherit(service: string): void {
    this.#inherited.delete(service);
  }

  /** Lets those go that began to wait for a service when it was back. */
  wakeAgain(service: string): void {
    if (this.#services.get(service)?.breaker.holdAt(this.#options.now()) === null)
      this.#back(service);
  }

  /**
   * Lets a message go, or says why not, and the epoch in which that was so: a release may come before the caller hears of
   * it. Each that goes must be noted. With `isFirstAlone`, others await the first.
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
    const admission = service.breaker.admit(this.#options.now(), candidate);
    return { ...admission, epoch: this.epochOf(name) };
  }

  /** Takes in what came of a message that went. */
  note(name: string, noted: Omit<Noted, "now">): void {
    this.records.note(name, { outcome: noted.outcome, at: this.#options.now() });
    const service = this.#services.get(name);
    if (noted.outcome?.kind === "accepted") service?.usual.note(this.#options.now());
    if (isAnswer(noted.outcome) && this.#inherited.delete(name)) this.#back(name);
    if (service === undefined) return;
    service.hasAnswered ||= isAnswer(noted.outcome);
    const { breaker } = service;
    const now = this.#options.now();
    const before = breaker.troubleAt(now);
    const kind = breaker.note({ ...noted, now });
    service.endFirst();
    this.#remember(name, service);
    const hold = kind === "released" ? before : breaker.troubleAt(now);
    if (kind !== null && hold !== null) this.#options.onChange({ service: name, kind, hold });
  }

  /** The reason why a device's messages wait now; null where they go. */
  waitOf(name: string, deviceId: string): Hold | null {
    return this.#services.get(name)?.breaker.waitOf(deviceId, this.#options.now()) ?? null;
  }

  /** Returns what names this process and the last release of a service. */
  epochOf(name: string): string {
    return `${this.#options.nodeId} ${this.#services.get(name)?.release ?? 0}`;
  }

  /** Says whether a service was released since, or another process waited: credentials may be mended. */
  isReleasedSince({ service, epoch }: Wait): boolean {
    return epoch !== this.epochOf(service);
  }

  /** Says whether who waits for a service may ask again: it is back, or wants to be asked. */
  mayAskAgain(wait: Wait): boolean {
    if (this.isReleasedSince(wait)) return true;
    return this.#services.get(wait.service)?.breaker.isProbeDue(this.#options.now()) === true;
  }

  /** Lets those go whose service asked for patience that is over now. */
  endPatience(): void {
    const now = this.#options.now();
    for (const [name, service] of this.#troubled) {
      if (service.breaker.troubleAt(now) !== null) continue;
      this.#troubled.delete(name);
      this.#release(name, service);
    }
  }

  /**
   * Returns the services of which a waiting message should ask now, at most 20, and marks them as asked: those that ever
   * answered first, then those that were asked least lately.
   */
  takeProbesDue(): readonly string[] {
    const now = this.#options.now();
    const due = new Map<string, { readonly askedAt: number; readonly hasAnswered: boolean }>();
    for (const [name, askedAt] of this.#inherited) {
      const hasAnswered = this.#services.get(name)?.hasAnswered ?? true;
      if (now >= nextAskAt(askedAt, now)) due.set(name, { askedAt, hasAnswered });
    }
    for (const [name, service] of this.#troubled) {
      const { probeAskedAt: askedAt, hasAnswered, breaker } = service;
      if (now < nextAskAt(askedAt, now) || !breaker.isProbeDue(now)) continue;
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

  /** Returns when `takeProbesDue` should be asked next; null where nothing is held. */
  nextProbeAt(): number | null {
    const now = this.#options.now();
    const moments = [...this.#troubled.values()].flatMap((service) => {
      const hold = service.breaker.holdAt(now);
      return hold === null ? [] : [Math.max(hold.until, nextAskAt(service.probeAskedAt, now))];
    });
    for (const askedAt of this.#inherited.values()) moments.push(nextAskAt(askedAt, now));
    return moments.length === 0 ? null : Math.min(...moments);
  }

  /** Returns every service that is held or suspected, with the cause. */
  held(): readonly { readonly service: string; readonly cause: HoldCause }[] {
    return this.troubles().map(({ service, hold: { cause } }) => ({ service, cause }));
  }

  /** Returns every service that is held or suspected, with all that is known of the trouble. */
  troubles(): readonly ServiceTrouble[] {
    const now = this.#options.now();
    return [...this.#troubled].flatMap(([service, { breaker }]) => {
      const hold = breaker.troubleAt(now);
      return hold === null ? [] : [{ service, hold }];
    });
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

  /** A release that the breaker did not tell is the end of patience. */
  #remember(name: string, service: Service): void {
    if (service.breaker.troubleAt(this.#options.now()) !== null) this.#troubled.set(name, service);
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

  /** Returns the name of the service used least lately of those that anybody may name, and that are such. */
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

/** Who was asked before the clock was set back is asked again. */
function nextAskAt(askedAt: number, now: number): number {
  return askedAt > now ? now : askedAt + PROBE_ASK_MS;
}

/** Says whether a service takes what it is given, of us and in general. */
function isAnswer(outcome: Outcome | null): boolean {
  return outcome !== null && outcome.kind !== "retry" && outcome.kind !== "refused";
}
