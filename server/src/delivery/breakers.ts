import { Breaker } from "./breaker.ts";
import type { Admission, Candidate, Hold, HoldCause, Noted } from "./breaker.ts";

/** A service that is held from now on, or given messages again. */
export interface ServiceChange {
  /** As `Provider.serviceOf` names it. */
  readonly service: string;
  readonly kind: "held" | "released";
  /** The hold that began or ended. */
  readonly hold: Hold;
}

export interface BreakersOptions {
  readonly now: () => number;
  /** Must not throw. */
  readonly onChange: (change: ServiceChange) => void;
}

interface Service {
  readonly breaker: Breaker;
  /** Pending while the first message ever is under way: what comes of it may save the others a refusal. */
  first: Promise<void> | null;
  endFirst: () => void;
}

/** The others do not wait for the first message longer than this. */
const FIRST_WAIT_MS = 1_000;
const SERVICES_MAX = 1_000;

/** The breakers of all services, by name. */
export class Breakers {
  readonly #options: BreakersOptions;
  readonly #services = new Map<string, Service>();

  constructor(options: BreakersOptions) {
    this.#options = options;
  }

  /** Lets a message go, or says why not. Each that goes must be noted. With `isFirstAlone`, others await the first. */
  async admit(
    name: string,
    candidate: Candidate & { readonly isFirstAlone: boolean },
  ): Promise<Admission> {
    const service = this.#services.get(name);
    if (service === undefined) {
      this.#begin(name);
      return { kind: "go", isProbe: false };
    }
    if (candidate.isFirstAlone && service.first !== null) await service.first;
    return service.breaker.admit(this.#options.now(), candidate);
  }

  /** Takes in what came of a message that went. */
  note(name: string, noted: Omit<Noted, "now">): void {
    const service = this.#services.get(name);
    if (service === undefined) return;
    const { breaker } = service;
    const before = breaker.hold;
    const kind = breaker.note({ ...noted, now: this.#options.now() });
    service.endFirst();
    const hold = kind === "held" ? breaker.hold : before;
    if (kind !== null && hold !== null) this.#options.onChange({ service: name, kind, hold });
  }

  /** The reason why messages to a service wait now; null where they do not. */
  holdOf(name: string): Hold | null {
    return this.#services.get(name)?.breaker.holdAt(this.#options.now()) ?? null;
  }

  /** The same, or what is only suspected; null where there is neither. */
  troubleOf(name: string): Hold | null {
    return this.#services.get(name)?.breaker.hold ?? null;
  }

  /** Returns every service that is held or suspected, with the cause. */
  held(): readonly { readonly service: string; readonly cause: HoldCause }[] {
    return [...this.#services].flatMap(
      ([
        service,
        {
          breaker: { hold },
        },
      ]) => (hold === null ? [] : [{ service, cause: hold.cause }]),
    );
  }

  #begin(name: string): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => endFirst(), FIRST_WAIT_MS).unref();
    const service: Service = { breaker: new Breaker(), first: promise, endFirst: () => endFirst() };
    const endFirst = (): void => {
      clearTimeout(timer);
      service.first = null;
      resolve();
    };
    this.#services.set(name, service);
    this.#forgetOldest();
  }

  /** Whoever registers devices can name any number of push services; one that is held is not forgotten. */
  #forgetOldest(): void {
    for (const [name, { breaker }] of this.#services) {
      if (this.#services.size <= SERVICES_MAX) return;
      if (breaker.hold === null) this.#services.delete(name);
    }
  }
}
