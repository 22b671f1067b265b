/** Gives back the place that was taken. */
export type Leave = () => void;

export interface LaneRequest {
  readonly host: string;
  /** Nobody vouches for the host: it shares places with all others of that kind. */
  readonly isStranger: boolean;
  readonly signal: AbortSignal;
}

interface Waiting {
  readonly request: LaneRequest;
  readonly enter: () => void;
}

/** One registrant can own any number of hosts: slow ones must not take the places of the vendors. */
const MAX_STRANGERS = 50;
const MAX_TOTAL = 100;
const MAX_WAITING = 5_000;

/** Bounds how many requests run at once, in all and per host; a full host holds back nobody else. */
export class Lanes {
  readonly #perHost = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
  readonly #placesAt: (host: string) => number;
  #total = 0;
  #strangers = 0;

  /** `placesAt` says how many requests one host may have at once; it is asked anew for each. */
  constructor(placesAt: (host: string) => number) {
    this.#placesAt = placesAt;
  }

  /** Resolves when there is room; with null where the signal fires first or too many wait already. */
  async enter(request: LaneRequest): Promise<Leave | null> {
    const { signal } = request;
    if (signal.aborted) return null;
    if (this.#hasRoom(request)) return this.#take(request);
    if (this.#waiting.size >= MAX_WAITING) return null;
    const { promise, resolve } = Promise.withResolvers<Leave | null>();
    const waiting: Waiting = {
      request,
      enter: () => {
        signal.removeEventListener("abort", giveUp);
        resolve(this.#take(request));
      },
    };
    const giveUp = (): void => {
      this.#waiting.delete(waiting);
      resolve(null);
    };
    signal.addEventListener("abort", giveUp, { once: true });
    this.#waiting.add(waiting);
    return promise;
  }

  #hasRoom({ host, isStranger }: LaneRequest): boolean {
    if (this.#total >= MAX_TOTAL) return false;
    if (isStranger && this.#strangers >= MAX_STRANGERS) return false;
    return (this.#perHost.get(host) ?? 0) < this.#placesAt(host);
  }

  #take(request: LaneRequest): Leave {
    this.#count(request, 1);
    return () => {
      this.#count(request, -1);
      this.#letIn();
    };
  }

  #count({ host, isStranger }: LaneRequest, change: 1 | -1): void {
    const atHost = (this.#perHost.get(host) ?? 0) + change;
    if (atHost === 0) this.#perHost.delete(host);
    else this.#perHost.set(host, atHost);
    if (isStranger) this.#strangers += change;
    this.#total += change;
  }

  /** Who has waited longest goes first, past those whose host is full. */
  #letIn(): void {
    for (const waiting of this.#waiting) {
      if (this.#total >= MAX_TOTAL) return;
      if (!this.#hasRoom(waiting.request)) continue;
      this.#waiting.delete(waiting);
      waiting.enter();
    }
  }
}
