import { Worker } from "node:worker_threads";
import { UnusableKeysError } from "../encrypt.ts";
import type { EncryptedBatch, EncryptionItem, EncryptionBatch } from "./protocol.ts";
import type { PendingMessage } from "./encryptor.ts";

/** Size of V8's young generation. The results of a thread live only until they are transferred. */
const YOUNG_GENERATION_MB = 4;

/** The main thread's side of an encryption thread. */
export class EncryptionThread {
  readonly #worker: Worker;
  readonly #batches = new Map<number, readonly PendingMessage[]>();
  readonly #onLost: (messages: readonly PendingMessage[]) => void;
  #lastId = 0;
  #unfinishedCount = 0;

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
  get unfinishedCount(): number {
    return this.#unfinishedCount;
  }

  /** Sends a batch of messages to the thread. */
  sendBatch(messages: readonly PendingMessage[]): void {
    const id = (this.#lastId += 1);
    this.#batches.set(id, messages);
    this.#unfinishedCount += messages.length;
    // The thread keeps the process alive only while it has work.
    this.#worker.ref();
    this.#worker.postMessage(toBatch(id, messages));
  }

  /** Ends the thread; `onLost` gets its unfinished messages. */
  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  #receive({ id, bytes, bodyEnds, unusableReasons }: EncryptedBatch): void {
    const messages = this.#batches.get(id) ?? [];
    this.#batches.delete(id);
    this.#unfinishedCount -= messages.length;
    if (this.#unfinishedCount === 0) this.#worker.unref();
    let begin = 0;
    for (const [index, message] of messages.entries()) {
      const end = bodyEnds[index] ?? null;
      if (end === null) {
        message.reject(new UnusableKeysError(unusableReasons[index]));
        continue;
      }
      message.resolve(Buffer.from(bytes.buffer, begin, end - begin));
      begin = end;
    }
  }

  #reportLost(): void {
    const unfinishedMessages = [...this.#batches.values()].flat();
    this.#batches.clear();
    this.#unfinishedCount = 0;
    this.#onLost(unfinishedMessages);
  }
}

function toBatch(id: number, messages: readonly PendingMessage[]): EncryptionBatch {
  const indexes = new Map<Buffer, number>();
  const items = messages.map(({ keys, plaintext }): EncryptionItem => {
    const plaintextIndex = indexes.get(plaintext) ?? indexes.size;
    indexes.set(plaintext, plaintextIndex);
    return { keys, plaintextIndex };
  });
  // Small buffers share a pool, and posting one would copy the whole pool, so each is copied out first.
  return { id, plaintexts: Array.from(indexes.keys(), (bytes) => new Uint8Array(bytes)), items };
}
