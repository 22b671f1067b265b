import type { Hold } from "./hold.ts";

/** A push service that is held or suspected, and the reason. */
export interface ServiceTrouble {
  /** The name from `Provider.getServiceName`. */
  readonly service: string;
  /** The hold, or the suspicion; under a suspicion, messages are still sent. */
  readonly hold: Hold;
}

/** The trouble of a service, as one node publishes it to the others; `hold` is null once the trouble has ended. */
export interface PublishedTrouble {
  readonly nodeId: string;
  readonly service: string;
  readonly hold: Hold | null;
}

/** The source of this node's troubles, and the function that publishes them. */
export interface ServiceTroublesDeps {
  readonly nodeId: string;
  /** Returns the troubles that this process has found. */
  readonly listOwnTroubles: () => readonly ServiceTrouble[];
  /** Sends a message to the other nodes; the message may be delayed or lost. */
  readonly publish: (trouble: PublishedTrouble) => void;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
}

/** Interval at which a node publishes its troubles again, for nodes that started later or missed a message. */
const REPUBLISH_INTERVAL_MS = 8_000;
/**
 * Time without a repetition after which trouble is forgotten. The node is dead, or the message that the trouble ended
 * was lost.
 */
const REMOTE_TROUBLE_TTL_MS = 30_000;
/**
 * Maximum number of troubles that a node publishes, because any account can add push services by registering browsers.
 */
const PUBLISHED_MAX = 50;

interface RemoteTrouble {
  readonly hold: Hold;
  readonly receivedAt: number;
}

/**
 * The push services in trouble on any node. Each node has its own breakers, and a node that serves the console may send
 * nothing itself. Trouble of another node is forgotten unless that node repeats it.
 */
export class ServiceTroubles {
  readonly #deps: ServiceTroublesDeps;
  /** Troubles of other nodes, by node and service. */
  readonly #remote = new Map<string, RemoteTrouble & { readonly service: string }>();
  #republishedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: ServiceTroublesDeps) {
    this.#deps = deps;
  }

  /** Returns each service that is held or suspected on any node, with the trouble that began first. */
  listAll(): readonly ServiceTrouble[] {
    this.#dropExpired();
    const holds = new Map<string, Hold>();
    for (const { service, hold } of [...this.#deps.listOwnTroubles(), ...this.#remote.values()]) {
      const first = holds.get(service);
      if (first === undefined || hold.since < first.since) holds.set(service, hold);
    }
    return [...holds].map(([service, hold]) => ({ service, hold }));
  }

  /** Publishes whether a service is in trouble in this process, and why. */
  publish(service: string): void {
    const { nodeId, listOwnTroubles, publish } = this.#deps;
    const hold = listOwnTroubles().find((trouble) => trouble.service === service)?.hold ?? null;
    publish({ nodeId, service, hold });
  }

  /** Publishes up to `PUBLISHED_MAX` troubles of this process again if the interval has passed. */
  republish(): void {
    const { nodeId, listOwnTroubles, publish, elapsed } = this.#deps;
    if (elapsed() - this.#republishedAt < REPUBLISH_INTERVAL_MS) return;
    this.#republishedAt = elapsed();
    for (const { service, hold } of listOwnTroubles().slice(0, PUBLISHED_MAX))
      publish({ nodeId, service, hold });
  }

  /** Records the message of another node. */
  receive({ nodeId, service, hold }: PublishedTrouble): void {
    const key = `${nodeId} ${service}`;
    if (hold === null) this.#remote.delete(key);
    else this.#remote.set(key, { service, hold, receivedAt: this.#deps.elapsed() });
  }

  #dropExpired(): void {
    const now = this.#deps.elapsed();
    for (const [key, { receivedAt }] of this.#remote) {
      if (now - receivedAt > REMOTE_TROUBLE_TTL_MS) this.#remote.delete(key);
    }
  }
}
