import type { Hold } from "./hold.ts";

/** A push service that is held or suspected, with the reason. */
export interface ServiceTrouble {
  /** As `Provider.serviceOf` names it. */
  readonly service: string;
  readonly hold: Hold;
}

/** A trouble as one node publishes it to the others; `hold` is null once it is over. */
export interface PublishedTrouble {
  readonly nodeId: string;
  readonly service: string;
  readonly hold: Hold | null;
}

export interface ServiceTroublesOptions {
  readonly nodeId: string;
  /** Returns the troubles that this process found itself. */
  readonly own: () => readonly ServiceTrouble[];
  /** Publishes to the other nodes, soon; the message may be lost. */
  readonly publish: (told: PublishedTrouble) => void;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
}

/** Interval at which a trouble is published again, for nodes that started since or missed it. */
const REPUBLISH_MS = 8_000;
/** Time without a repetition after which a trouble is forgotten: its node is dead, or the message of its end was lost. */
const KEPT_MS = 30_000;
/** Most troubles published by a node: anybody can name a push service by registering a browser. */
const PUBLISHED_MAX = 50;

interface Heard {
  readonly hold: Hold;
  readonly heardAt: number;
}

/**
 * The troubles with push services that any node found: each node has breakers of its own, and one that answers a page may
 * send nothing itself. A trouble of another node is forgotten unless that repeats it.
 */
export class ServiceTroubles {
  readonly #options: ServiceTroublesOptions;
  /** Troubles of other nodes, by node and service. */
  readonly #heard = new Map<string, Heard & { readonly service: string }>();
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(options: ServiceTroublesOptions) {
    this.#options = options;
  }

  /** Returns every service that is held or suspected anywhere, once each: with the longest trouble if nodes differ. */
  all(): readonly ServiceTrouble[] {
    this.#forget();
    const known = new Map<string, Hold>();
    for (const { service, hold } of [...this.#options.own(), ...this.#heard.values()]) {
      const other = known.get(service);
      if (other === undefined || hold.since < other.since) known.set(service, hold);
    }
    return [...known].map(([service, hold]) => ({ service, hold }));
  }

  /** Publishes the state of one service here, at once. */
  publish(service: string): void {
    const { nodeId, own, publish } = this.#options;
    const hold = own().find((trouble) => trouble.service === service)?.hold ?? null;
    publish({ nodeId, service, hold });
  }

  /** Publishes the troubles found here again; called every few seconds. */
  republish(): void {
    const { nodeId, own, publish, elapsed } = this.#options;
    if (elapsed() - this.#toldAt < REPUBLISH_MS) return;
    this.#toldAt = elapsed();
    for (const { service, hold } of own().slice(0, PUBLISHED_MAX))
      publish({ nodeId, service, hold });
  }

  /** Takes in the message of another node. */
  take({ nodeId, service, hold }: PublishedTrouble): void {
    const name = `${nodeId} ${service}`;
    if (hold === null) this.#heard.delete(name);
    else this.#heard.set(name, { service, hold, heardAt: this.#options.elapsed() });
  }

  #forget(): void {
    const now = this.#options.elapsed();
    for (const [name, { heardAt }] of this.#heard) {
      if (now - heardAt > KEPT_MS) this.#heard.delete(name);
    }
  }
}
