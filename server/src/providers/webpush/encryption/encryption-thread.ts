import { Worker } from "node:worker_threads";
import { UnusableKeysError } from "../encrypt.ts";
import type { EncryptedBatch, EncryptionItem, EncryptionBatch } from "./protocol.ts";
import type { PendingMessage } from "./encryptor.ts";

/** The results of a thread live only until they are transferred. */
const YOUNG_GENERATION_MB = 4;

/** The main thread's side of an encryption thread. */
export class EncryptionThread {
  readonly #worker: Worker;
  readonly #batches = new Map<number, readonly PendingMessage[]>();
  readonly #onLost: (messages: readonly PendingMessage[]) => void;
  #lastId = 0;
  #unfinished = 0;

  /** `onLost` gets the unfinished messages of a thread that ended. */
  constructor(onLost: (messages: readonly PendingMessage[]) => void) {
    this.#onLost = onLost;
    this.#worker = new Worker(new URL("./thread.ts", import.meta.url), {
      name: "encryption",
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    this.#worker.on("message", (batch: EncryptedBatch) => this.#receive(batch));
    // An "exit" event follows.
    this.#worker.on("error", () => {});
    this.#worker.on("exit", () => this.#reportLost());
    this.#worker.unref();
  }

  /** The number of unfinished messages. */
  get unfinished(): number {
    return this.#unfinished;
  }

  /** Sends a batch of messages to the thread. */
  send(messages: readonly PendingMessage[]): void {
    const id = (this.#lastId += 1);
    this.#batches.set(id, messages);
    this.#unfinished += messages.length;
    // The thread keeps the process alive only while it has work.
    this.#worker.ref();
    this.#worker.postMessage(toBatch(id, messages));
  }

  /** Ends the thread; `onLost` gets its unfinished messages. */
  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #receive({ id, bytes, ends, unusable }: EncryptedBatch): void {
    const messages = this.#batches.get(id) ?? [];
    this.#batches.delete(id);
    this.#unfinished -= messages.length;
    if (this.#unfinished === 0) this.#worker.unref();
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

  #reportLost(): void {
    const lost = [...this.#batches.values()].flat();
    this.#batches.clear();
    this.#unfinished = 0;
    this.#onLost(lost);
  }
}

function toBatch(id: number, messages: readonly PendingMessage[]): EncryptionBatch {
  const indexes = new Map<Buffer, number>();
  const items = messages.map(({ keys, plaintext }): EncryptionItem => {
    const plaintextIndex = indexes.get(plaintext) ?? indexes.size;
    indexes.set(plaintext, plaintextIndex);
    return { keys, plaintext: plaintextIndex };
  });
  // Small buffers share a pool, and posting one would copy the whole pool, so each is copied out first.
  return { id, plaintexts: Array.from(indexes.keys(), (bytes) => new Uint8Array(bytes)), items };
}
