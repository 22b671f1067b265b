import { Breaker } from "./breaker.ts";
import type { Admission, BreakerChange, Candidate, Noted } from "./breaker.ts";
import type { Wait } from "./delivery.ts";
import type { Hold, HoldCause } from "./hold.ts";
import { ServiceRecords } from "./service-records.ts";

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
  /** Told of the first message that a service accepted for which jobs waited before; must not throw. */
  readonly onInheritedReleased: (service: string) => void;
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
}

/** The others do not wait for the first message longer than this. */
const FIRST_WAIT_MS = 1_000;
/** Nobody is asked to probe oftener: who was asked may be gone. */
const PROBE_ASK_MS = 30_000;
/** Whoever registers browsers can name any number of push services; so many are remembered. */
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

  /** Services for which jobs waited before this process came, and from which it has not heard. */
  readonly #inherited = new Set<string>();

  constructor(options: BreakersOptions) {
    this.#options = options;
  }

  /** Takes over that jobs wait for services: the first message that one accepts here releases it. */
  inherit(services: readonly string[]): void {
    for (const service of services) this.#inherited.add(service);
  }

  /** Lets a message go, or says why not. Each that goes must be noted. With `isFirstAlone`, others await the first. */
  async admit(
    name: string,
    candidate: Candidate & { readonly isFirstAlone: boolean },
  ): Promise<Admission> {
    const known = this.#services.get(name);
    const service = known ?? this.#begin();
    this.#use(name, service);
    if (known !== undefined && candidate.isFirstAlone && service.first !== null) {
      await service.first;
    }
    return service.breaker.admit(this.#options.now(), candidate);
  }

  /** Takes in what came of a message that went. */
  note(name: string, noted: Omit<Noted, "now">): void {
    this.records.note(name, { outcome: noted.outcome, at: this.#options.now() });
    if (noted.outcome?.kind === "accepted" && this.#inherited.delete(name)) {
      this.#options.onInheritedReleased(name);
    }
    const service = this.#services.get(name);
    if (service === undefined) return;
    const { breaker } = service;
    const now = this.#options.now();
    const before = breaker.troubleAt(now);
    const kind = breaker.note({ ...noted, now });
    if (kind === "released") service.release = this.#releases += 1;
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

  /** Returns the services of which a waiting message should ask now, and marks them as asked. */
  takeProbesDue(): readonly string[] {
    const now = this.#options.now();
    return [...this.#troubled].flatMap(([name, service]) => {
      if (now < askableAt(service, now) || !service.breaker.isProbeDue(now)) return [];
      service.probeAskedAt = now;
      return [name];
    });
  }

  /** Returns when `takeProbesDue` should be asked next; null where nothing is held. */
  nextProbeAt(): number | null {
    const now = this.#options.now();
    const moments = [...this.#troubled.values()].flatMap((service) => {
      const hold = service.breaker.holdAt(now);
      return hold === null ? [] : [Math.max(hold.until, askableAt(service, now))];
    });
    return moments.length === 0 ? null : Math.min(...moments);
  }

  /** Returns every service that is held or suspected, with the cause. */
  held(): readonly { readonly service: string; readonly cause: HoldCause }[] {
    return this.troubles().map(({ service, hold: { cause } }) => ({ service, cause }));
  }

  /** Returns every service that is held or suspected, with all that is known of the trouble. */
  troubles(): readonly { readonly service: string; readonly hold: Hold }[] {
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
    };
    const endFirst = (): void => {
      clearTimeout(timer);
      service.first = null;
      resolve();
    };
    return service;
  }

  #remember(name: string, service: Service): void {
    if (service.breaker.troubleAt(this.#options.now()) === null) this.#troubled.delete(name);
    else this.#troubled.set(name, service);
  }

  #use(name: string, service: Service): void {
    this.#services.delete(name);
    this.#services.set(name, service);
    if (this.#services.size <= OPEN_ENDED_MAX) return;
    for (const oldest of this.#services.keys()) {
      if (!oldest.startsWith(OPEN_ENDED)) continue;
      this.#services.delete(oldest);
      this.#troubled.delete(oldest);
      return;
    }
  }
}

/** Who was asked before the clock was set back is asked again. */
function askableAt({ probeAskedAt }: Service, now: number): number {
  return probeAskedAt > now ? now : probeAskedAt + PROBE_ASK_MS;
}
