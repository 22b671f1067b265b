/** Gives back the place that was taken. */
export type Leave = () => void;

export interface LaneRequest {
  readonly host: string;
  /** Nobody vouches for the host: it shares places with all others of that kind. */
  readonly isStranger: boolean;
  /** One of very many: it waits behind others, and some places are never its own. */
  readonly isBulk: boolean;
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
/** So much of all places, of those of strangers, and of those of one host, may be taken by messages to very many. */
const BULK_PART = 0.6;

/** Bounds how many requests run at once, in all and per host; a full host holds back nobody else. */
export class Lanes {
  readonly #perHost = new Map<string, Taken>();
  readonly #waiting = new Set<Waiting>();
  readonly #waitingInBulk = new Set<Waiting>();
  readonly #placesAt: (host: string) => number;
  readonly #all: Taken = { places: 0, inBulk: 0 };
  readonly #strangers: Taken = { places: 0, inBulk: 0 };

  /** `placesAt` says how many requests one host may have at once; it is asked anew for each. */
  constructor(placesAt: (host: string) => number) {
    this.#placesAt = placesAt;
  }

  /** Resolves when there is room; with null where the signal fires first or too many wait already. */
  async enter(request: LaneRequest): Promise<Leave | null> {
    const { signal } = request;
    if (signal.aborted) return null;
    if (this.#hasRoom(request)) return this.#take(request);
    const line = request.isBulk ? this.#waitingInBulk : this.#waiting;
    if (line.size >= MAX_WAITING) return null;
    const { promise, resolve } = Promise.withResolvers<Leave | null>();
    const waiting: Waiting = {
      request,
      enter: () => {
        signal.removeEventListener("abort", giveUp);
        resolve(this.#take(request));
      },
    };
    const giveUp = (): void => {
      line.delete(waiting);
      resolve(null);
    };
    signal.addEventListener("abort", giveUp, { once: true });
    line.add(waiting);
    return promise;
  }

  #hasRoom({ host, isStranger, isBulk }: LaneRequest): boolean {
    if (isStranger && !isRoomIn(this.#strangers, MAX_STRANGERS, isBulk)) return false;
    const atHost = this.#perHost.get(host) ?? NOBODY;
    return isRoomIn(this.#all, MAX_TOTAL, isBulk) && isRoomIn(atHost, this.#placesAt(host), isBulk);
  }

  #take(request: LaneRequest): Leave {
    this.#count(request, 1);
    return () => {
      this.#count(request, -1);
      this.#letIn(this.#waiting);
      this.#letIn(this.#waitingInBulk);
    };
  }

  #count({ host, isStranger, isBulk }: LaneRequest, change: 1 | -1): void {
    const atHost = this.#perHost.get(host) ?? { places: 0, inBulk: 0 };
    for (const taken of [atHost, this.#all, ...(isStranger ? [this.#strangers] : [])]) {
      taken.places += change;
      if (isBulk) taken.inBulk += change;
    }
    if (atHost.places === 0) this.#perHost.delete(host);
    else this.#perHost.set(host, atHost);
  }

  /** Who has waited longest goes first, past those whose host is full. */
  #letIn(line: Set<Waiting>): void {
    for (const waiting of line) {
      if (this.#all.places >= MAX_TOTAL) return;
      if (!this.#hasRoom(waiting.request)) continue;
      line.delete(waiting);
      waiting.enter();
    }
  }
}

/** How many places are taken, and how many of them in bulk. */
interface Taken {
  places: number;
  inBulk: number;
}

const NOBODY: Taken = { places: 0, inBulk: 0 };

function isRoomIn({ places, inBulk }: Taken, count: number, isBulk: boolean): boolean {
  return places < count && (!isBulk || inBulk < Math.max(1, Math.floor(count * BULK_PART)));
}
