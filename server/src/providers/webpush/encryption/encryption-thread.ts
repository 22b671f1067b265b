import { Worker } from "node:worker_threads";
import { UnusableKeysError } from "../encrypt.ts";
import type { Encrypted, EncryptionItem, EncryptionOrder } from "./protocol.ts";
import type { PendingMessage } from "./encryptor.ts";

/** A thread's results live until they are handed over. */
const YOUNG_MB = 4;

/** The main thread's side of an encryption thread. */
export class EncryptionThread {
  readonly #worker: Worker;
  readonly #orders = new Map<number, readonly PendingMessage[]>();
  readonly #onLost: (messages: readonly PendingMessage[]) => void;
  #lastId = 0;
  #waiting = 0;

  /** `onLost` gets the unfinished messages of a thread that ended. */
  constructor(onLost: (messages: readonly PendingMessage[]) => void) {
    this.#onLost = onLost;
    this.#worker = new Worker(new URL("./thread.ts", import.meta.url), {
      name: "encryption",
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    this.#worker.on("message", (encrypted: Encrypted) => this.#receive(encrypted));
    // An "exit" event follows.
    this.#worker.on("error", () => {});
    this.#worker.on("exit", () => this.#lose());
    this.#worker.unref();
  }

  /** The number of unfinished messages. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Gives messages to the thread. */
  order(messages: readonly PendingMessage[]): void {
    const id = (this.#lastId += 1);
    this.#orders.set(id, messages);
    this.#waiting += messages.length;
    // The thread keeps the process alive only while it has work.
    this.#worker.ref();
    this.#worker.postMessage(orderOf(id, messages));
  }

  /** Ends the thread; its unfinished messages are lost. */
  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #receive({ id, bytes, ends, unusable }: Encrypted): void {
    const messages = this.#orders.get(id) ?? [];
    this.#orders.delete(id);
    this.#waiting -= messages.length;
    if (this.#waiting === 0) this.#worker.unref();
    let begin = 0;
    for (const [index, message] of messages.entries()) {
      const end = ends[index] ?? null;
      if (end === null) {
        message.reject(new UnusableKeysError(unusable[index]));
        continue;
      }
      message.resolve(Buffer.from(bytes.buffer, begin, end - begin));
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

function orderOf(id: number, messages: readonly PendingMessage[]): EncryptionOrder {
  const places = new Map<Buffer, number>();
  const items = messages.map(({ keys, plaintext }): EncryptionItem => {
    const place = places.get(plaintext) ?? places.size;
    places.set(plaintext, place);
    return { keys, plaintext: place };
  });
  // Small buffers share a pool, which would be copied whole with each of them, so they are copied out first.
  return { id, plaintexts: Array.from(places.keys(), (bytes) => new Uint8Array(bytes)), items };
}
