import type { Hold } from "./hold.ts";

/** A push service that is held or suspected, with all that is known of the trouble. */
export interface ServiceTrouble {
  /** As `Provider.serviceOf` names it. */
  readonly service: string;
  readonly hold: Hold;
}

/** A trouble as one node tells the others; null once it is over. */
export interface ToldTrouble {
  readonly nodeId: string;
  readonly service: string;
  readonly hold: Hold | null;
}

export interface ServiceTroublesOptions {
  readonly nodeId: string;
  /** Returns what this process knows itself. */
  readonly own: () => readonly ServiceTrouble[];
  /** Tells the other nodes, soon; it may be lost. */
  readonly publish: (told: ToldTrouble) => void;
  /** Counts milliseconds, and never jumps. */
  readonly elapsed: () => number;
}

/** A trouble is told again after this, for nodes that started since, or that missed it. */
const TOLD_AGAIN_MS = 8_000;
/** A node that told a trouble and fell silent for so long is dead, or its word that it is over was lost. */
const KEPT_MS = 30_000;
/** Whoever registers browsers can name any number of push services; of each node so many are told. */
const TOLD_MAX = 50;

interface Heard {
  readonly hold: Hold;
  readonly heardAt: number;
}

/**
 * The troubles with push services as all nodes know them: each node has breakers of its own, and one that answers a page may
 * send nothing itself. What others told is forgotten unless they repeat it.
 */
export class ServiceTroubles {
  readonly #options: ServiceTroublesOptions;
  /** By node and service. */
  readonly #heard = new Map<string, Heard & { readonly service: string }>();
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(options: ServiceTroublesOptions) {
    this.#options = options;
  }

  /** Returns every service that is held or suspected anywhere, once each: with the longest trouble where nodes differ. */
  all(): readonly ServiceTrouble[] {
    this.#forget();
    const known = new Map<string, Hold>();
    for (const { service, hold } of [...this.#options.own(), ...this.#heard.values()]) {
      const other = known.get(service);
      if (other === undefined || hold.since < other.since) known.set(service, hold);
    }
    return [...known].map(([service, hold]) => ({ service, hold }));
  }

  /** Tells the others how one service does here, at once. */
  publish(service: string): void {
    const { nodeId, own, publish } = this.#options;
    const hold = own().find((trouble) => trouble.service === service)?.hold ?? null;
    publish({ nodeId, service, hold });
  }

  /** Tells the others again what is the matter here; called every few seconds. */
  tellAgain(): void {
    const { nodeId, own, publish, elapsed } = this.#options;
    if (elapsed() - this.#toldAt < TOLD_AGAIN_MS) return;
    this.#toldAt = elapsed();
    for (const { service, hold } of own().slice(0, TOLD_MAX)) publish({ nodeId, service, hold });
  }

  /** Takes in what another node told. */
  take({ nodeId, service, hold }: ToldTrouble): void {
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
