import { availableParallelism } from "node:os";
import { encrypt, MAX_PLAINTEXT_BYTES } from "../encrypt.ts";
import type { Plaintext } from "../encrypt.ts";
import { EncryptionThread } from "./encryption-thread.ts";

/** One message that somebody waits for. */
export interface PendingMessage extends Pick<Plaintext, "keys" | "plaintext"> {
  readonly resolve: (body: Buffer) => void;
  readonly reject: (error: unknown) => void;
}

/** So many messages are encrypted in one turn of the event loop where they come up: handing them over takes longer. */
const AT_ONCE_MAX = 2;
/** So many go to a thread together. */
const ORDER_MAX = 16;
/** Threads that have so many before them do not get to the next ones soon: then this one encrypts as well, … */
const BEHIND = 4 * ORDER_MAX;
/** … for so long in one turn of the event loop. */
const HERE_MAX_MS = 2;
/** On all cores but the one that this thread is on; where there is no other, it encrypts by itself, turn by turn. */
const THREADS_MAX = Math.min(8, availableParallelism() - 1);
/** Threads that nobody needs take memory. */
const IDLE_MS = 30_000;

/** Encrypts push messages: a few where they come up, many in threads. */
export class Encryptor {
  readonly #threads = new Set<EncryptionThread>();
  readonly #pending: PendingMessage[] = [];
  /** Since this turn of the event loop began. */
  #done = 0;
  #isTurnOver = true;
  #isClosed = false;
  #idleTimer: NodeJS.Timeout | null = null;
  readonly #threadsMax: number;

  constructor(threadsMax = THREADS_MAX) {
    this.#threadsMax = threadsMax;
  }

  /** Resolves with the body that `encrypt` returns; rejects with what that throws. */
  async encrypt({ keys, plaintext }: Pick<Plaintext, "keys" | "plaintext">): Promise<Buffer> {
    this.#watchTurn();
    const isIdle = this.#pending.length === 0 && this.#done < AT_ONCE_MAX;
    // What is too long is refused there as well.
    if (this.#isClosed || isIdle || plaintext.length > MAX_PLAINTEXT_BYTES) {
      this.#done += 1;
      return encrypt({ keys, plaintext });
    }
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    this.#pending.push({ keys, plaintext, resolve, reject });
    return promise;
  }

  /** Ends every thread; what is with them is encrypted here. */
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
    // What is left is for the next turn.
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
      // The other threads may end of the same.
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
