import { Worker } from "node:worker_threads";
import { UnusableKeysError } from "../encrypt.ts";
import type { Sealed, SealItem, SealOrder } from "./protocol.ts";
import type { Seal } from "./sealer.ts";

/** What a thread makes lives until it is handed over. */
const YOUNG_MB = 4;

/** A thread that encrypts, as its owner sees it. */
export class SealingThread {
  readonly #worker: Worker;
  readonly #orders = new Map<number, readonly Seal[]>();
  readonly #onLost: (seals: readonly Seal[]) => void;
  #lastId = 0;
  #waiting = 0;

  /** `onLost` gets what was not done when the thread ended. */
  constructor(onLost: (seals: readonly Seal[]) => void) {
    this.#onLost = onLost;
    this.#worker = new Worker(new URL("./thread.ts", import.meta.url), {
      name: "sealing",
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    this.#worker.on("message", (sealed: Sealed) => this.#receive(sealed));
    // An "exit" follows.
    this.#worker.on("error", () => {});
    this.#worker.on("exit", () => this.#lose());
    this.#worker.unref();
  }

  /** How many messages are with it. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Hands messages over. */
  order(seals: readonly Seal[]): void {
    const id = (this.#lastId += 1);
    this.#orders.set(id, seals);
    this.#waiting += seals.length;
    // Only what is under way keeps the process alive.
    this.#worker.ref();
    this.#worker.postMessage(orderOf(id, seals));
  }

  /** Ends the thread; what it has not done is lost. */
  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #receive({ id, bytes, ends, unusable }: Sealed): void {
    const seals = this.#orders.get(id) ?? [];
    this.#orders.delete(id);
    this.#waiting -= seals.length;
    if (this.#waiting === 0) this.#worker.unref();
    let begin = 0;
    for (const [index, seal] of seals.entries()) {
      const end = ends[index] ?? null;
      if (end === null) {
        seal.reject(new UnusableKeysError(unusable[index]));
        continue;
      }
      seal.resolve(Buffer.from(bytes.buffer, begin, end - begin));
      begin = end;
    }
  }

  #lose(): void {
    const lost = [...this.#orders.values()].flat();
    this.#orders.clear();
    this.#waiting = 0;
    this.#onLost(lost);
  }
}

function orderOf(id: number, seals: readonly Seal[]): SealOrder {
  const places = new Map<Buffer, number>();
  const items = seals.map(({ keys, plaintext }): SealItem => {
    const place = places.get(plaintext) ?? places.size;
    places.set(plaintext, place);
    return { keys, plaintext: place };
  });
  // Small buffers share memory, and all of it would go over with each: copies have their own.
  return { id, plaintexts: Array.from(places.keys(), (bytes) => new Uint8Array(bytes)), items };
}
