import type { Leave, PlaceOf, Places } from "./places.ts";

export interface LaneRequest extends PlaceOf {
  readonly signal: AbortSignal;
  /** Told where it waits for a host from which nothing was heard: nobody else should wait behind it. */
  readonly onAside: () => void;
}

interface Waiting {
  readonly request: LaneRequest;
  readonly enter: () => void;
}

const MAX_WAITING = 5_000;
/** Of one rule, so that no rule's hosts fill the lines. */
const MAX_WAITING_OF_RULE = 1_000;
/** So many messages of one account, and of all, wait for hosts from which nothing was heard; the others come again later. */
const MAX_ASIDE_OF_ACCOUNT = 32;
const MAX_ASIDE = 512;

/** Lets requests in where there are places, and the others wait: in two lines, of which that of messages to very many comes last. */
export class Lanes {
  readonly #places: Places;
  readonly #waiting = new Set<Waiting>();
  readonly #waitingInBulk = new Set<Waiting>();
  readonly #waitingOfRules = new Counts();
  /** How many wait for hosts from which nothing was heard, by account. */
  readonly #aside = new Counts();

  constructor(places: Places) {
    this.#places = places;
  }

  /** Takes a place where there is one. */
  enterNow(request: PlaceOf): Leave | null {
    return this.#places.hasRoom(request) ? this.#take(request) : null;
  }

  /** Resolves when there is room; with null where the signal fires first or too many wait already. */
  async enter(request: LaneRequest): Promise<Leave | null> {
    const { signal, accountId } = request;
    if (signal.aborted) return null;
    const leave = this.enterNow(request);
    if (leave !== null) return leave;
    if (!this.#places.isUnheard(request)) return this.#wait(request);
    const isTooMany =
      this.#aside.of(accountId) >= MAX_ASIDE_OF_ACCOUNT || this.#aside.inAll >= MAX_ASIDE;
    if (isTooMany) return null;
    request.onAside();
    return this.#aside.with(accountId, () => this.#wait(request));
  }

  async #wait(request: LaneRequest): Promise<Leave | null> {
    const { rule, isBulk } = request;
    const line = isBulk ? this.#waitingInBulk : this.#waiting;
    const isTooMany =
      line.size >= MAX_WAITING || this.#waitingOfRules.of(rule.name) >= MAX_WAITING_OF_RULE;
    if (isTooMany) return null;
    return this.#waitingOfRules.with(rule.name, () => this.#waitIn(line, request));
  }

  async #waitIn(line: Set<Waiting>, request: LaneRequest): Promise<Leave | null> {
    const { signal } = request;
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

  #take(request: PlaceOf): Leave {
    const leave = this.#places.take(request);
    return () => {
      leave();
      this.#letIn(this.#waiting);
      this.#letIn(this.#waitingInBulk);
    };
  }

  /** Who has waited longest goes first, past those whose host, rule or account is full. */
  #letIn(line: Set<Waiting>): void {
    for (const waiting of line) {
      if (this.#places.isFull) return;
      if (!this.#places.hasRoom(waiting.request)) continue;
      line.delete(waiting);
      waiting.enter();
    }
  }
}

/** Counts what is under way, by name. */
class Counts {
  readonly #counts = new Map<string, number>();
  #inAll = 0;

  get inAll(): number {
    return this.#inAll;
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  /** Counts work until it ends. */
  async with<T>(name: string, work: () => Promise<T>): Promise<T> {
    this.#change(name, 1);
    try {
      return await work();
    } finally {
      this.#change(name, -1);
    }
  }

  #change(name: string, by: 1 | -1): void {
    const count = this.of(name) + by;
    this.#inAll += by;
    if (count === 0) this.#counts.delete(name);
    else this.#counts.set(name, count);
  }
}
