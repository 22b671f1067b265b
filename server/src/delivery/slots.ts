import { BULK, type Lane } from "./delivery.ts";

/** A fixed number of places; who finds none waits in line. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Runs `work` once there is a place for it, and gives the place back. */
  async use<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait();
    try {
      return await work();
    } finally {
      this.#giveBack();
    }
  }

  /** Resolves once there is a place, with what gives it back; calling that again changes nothing. */
  async enter(): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait();
    let isTaken = true;
    return () => {
      if (isTaken) this.#giveBack();
      isTaken = false;
    };
  }

  /** Whoever gives a place back hands it to the one that waits longest. */
  #wait(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #giveBack(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}

/** Places for attempts, of which those of the bulk lane may take only a part. */
export class LaneSlots {
  readonly #all: Slots;
  readonly #bulk: Slots;

  constructor(count: number, bulkCount: number) {
    this.#all = new Slots(count);
    this.#bulk = new Slots(bulkCount);
  }

  /** Runs `work` once there is a place for its lane. */
  use<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
    return lane === BULK ? this.#bulk.use(() => this.#all.use(work)) : this.#all.use(work);
  }
}
