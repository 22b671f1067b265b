import { availableParallelism } from "node:os";
import { encrypt, MAX_PLAINTEXT_BYTES } from "../encrypt.ts";
import type { Plaintext } from "../encrypt.ts";
import { EncryptionThread } from "./encryption-thread.ts";

/** One message whose caller waits. */
export interface PendingMessage extends Pick<Plaintext, "keys" | "plaintext"> {
  readonly resolve: (body: Buffer) => void;
  readonly reject: (error: unknown) => void;
}

/** So many messages per turn of the event loop are encrypted on the main thread, because handing them over takes longer. */
const AT_ONCE_MAX = 2;
/** The number of messages in one order to a thread. */
const ORDER_MAX = 16;
/** If every thread has so many unfinished messages, the main thread encrypts as well, … */
const BEHIND = 4 * ORDER_MAX;
/** … for so long in each turn of the event loop. */
const HERE_MAX_MS = 2;
/** One thread for each core but the main thread's. On one core, the main thread encrypts turn by turn. */
const THREADS_MAX = Math.min(8, availableParallelism() - 1);
/** Idle threads end after this, because they take memory. */
const IDLE_MS = 30_000;

/** Encrypts push messages: a few on the main thread, many on other threads. */
export class Encryptor {
  readonly #threads = new Set<EncryptionThread>();
  readonly #pending: PendingMessage[] = [];
  /** Messages encrypted in this turn of the event loop. */
  #done = 0;
  #isTurnOver = true;
  #isClosed = false;
  #idleTimer: NodeJS.Timeout | null = null;
  readonly #threadsMax: number;

  constructor(threadsMax = THREADS_MAX) {
    this.#threadsMax = threadsMax;
  }

  /** Resolves with the result of `encrypt`, or rejects with its error. */
  async encrypt({ keys, plaintext }: Pick<Plaintext, "keys" | "plaintext">): Promise<Buffer> {
    this.#watchTurn();
    const isIdle = this.#pending.length === 0 && this.#done < AT_ONCE_MAX;
    // Also refuses a plaintext that is too long.
    if (this.#isClosed || isIdle || plaintext.length > MAX_PLAINTEXT_BYTES) {
      this.#done += 1;
      return encrypt({ keys, plaintext });
    }
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    this.#pending.push({ keys, plaintext, resolve, reject });
    return promise;
  }

  /** Ends all threads; their unfinished messages are encrypted here. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#idleTimer !== null) clearTimeout(this.#idleTimer);
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }

  #watchTurn(): void {
    if (!this.#isTurnOver) return;
    this.#isTurnOver = false;
    setImmediate(() => {
      this.#isTurnOver = true;
      this.#done = 0;
      this.#handOver();
    });
  }

  #handOver(): void {
    if (this.#isClosed) encryptHere(this.#pending.splice(0));
    if (this.#pending.length === 0) return;
    if (this.#threadsMax === 0 || this.#leastBusy().waiting >= BEHIND) this.#encryptSome();
    if (this.#threadsMax > 0) this.#orderAll();
    // The next turn continues.
    else if (this.#pending.length > 0) this.#watchTurn();
  }

  #encryptSome(): void {
    const until = performance.now() + HERE_MAX_MS;
    while (this.#pending.length > 0 && performance.now() < until) {
      encryptHere(this.#pending.splice(0, 1));
    }
  }

  #orderAll(): void {
    while (this.#pending.length > 0) this.#leastBusy().order(this.#pending.splice(0, ORDER_MAX));
    this.#endLater();
  }

  #leastBusy(): EncryptionThread {
    let leastBusy: EncryptionThread | null = null;
    for (const thread of this.#threads) {
      if (leastBusy === null || thread.waiting < leastBusy.waiting) leastBusy = thread;
    }
    const isBusy = leastBusy === null || leastBusy.waiting > 0;
    if (leastBusy !== null && (!isBusy || this.#threads.size >= this.#threadsMax)) return leastBusy;
    return this.#begin();
  }

  #begin(): EncryptionThread {
    const thread: EncryptionThread = new EncryptionThread((lost) => {
      this.#threads.delete(thread);
      // Another thread may end for the same reason.
      encryptHere(lost);
    });
    this.#threads.add(thread);
    return thread;
  }

  #endLater(): void {
    this.#idleTimer ??= setTimeout(() => this.#endIdle(), IDLE_MS).unref();
    this.#idleTimer.refresh();
  }

  #endIdle(): void {
    this.#idleTimer = null;
    for (const thread of this.#threads) void thread.end();
  }
}

function encryptHere(messages: readonly PendingMessage[]): void {
  for (const { keys, plaintext, resolve, reject } of messages) {
    try {
      resolve(encrypt({ keys, plaintext }));
    } catch (error) {
      reject(error);
    }
  }
}
