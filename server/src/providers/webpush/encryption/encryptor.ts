import { availableParallelism } from "node:os";
import { encrypt, PLAINTEXT_MAX_BYTES } from "../encrypt.ts";
import type { Plaintext } from "../encrypt.ts";
import { EncryptionThread } from "./encryption-thread.ts";

/** A message whose caller waits for the encrypted body. */
export interface PendingMessage extends Pick<Plaintext, "keys" | "plaintext"> {
  readonly resolve: (body: Buffer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * In each turn of the event loop, the main thread encrypts this many messages itself, because transferring them takes longer.
 */
const DIRECT_MAX = 2;
/** The maximum number of messages in one batch for a thread. */
const BATCH_MAX = 16;
/** If every thread has this many unfinished messages, the main thread encrypts as well, … */
const BACKLOG_MAX = 4 * BATCH_MAX;
/** … for this long in each turn of the event loop. */
const MAIN_THREAD_MAX_MS = 2;
/** One thread per core, except the main thread's core. With one core, the main thread encrypts turn by turn. */
const THREADS_MAX = Math.min(8, availableParallelism() - 1);
/** Idle threads end after this time, because they use memory. */
const IDLE_MS = 30_000;

/** Encrypts push messages: a few on the main thread, many on other threads. */
export class Encryptor {
  readonly #threads = new Set<EncryptionThread>();
  readonly #pending: PendingMessage[] = [];
  /** The number of messages that `encrypt` handled directly in this turn of the event loop. */
  #directCount = 0;
  #hasTurnEnded = true;
  #isClosed = false;
  #idleTimer: NodeJS.Timeout | null = null;
  readonly #threadsMax: number;

  constructor(threadsMax = THREADS_MAX) {
    this.#threadsMax = threadsMax;
  }

  /** Resolves with the result of `encrypt`, or rejects with its error. */
  async encrypt({ keys, plaintext }: Pick<Plaintext, "keys" | "plaintext">): Promise<Buffer> {
    this.#watchTurn();
    const isIdle = this.#pending.length === 0 && this.#directCount < DIRECT_MAX;
    // A plaintext that is too long goes here too, because `encrypt` rejects it.
    if (this.#isClosed || isIdle || plaintext.length > PLAINTEXT_MAX_BYTES) {
      this.#directCount += 1;
      return encrypt({ keys, plaintext });
    }
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    this.#pending.push({ keys, plaintext, resolve, reject });
    return promise;
  }

  /** Ends all threads; the main thread encrypts their unfinished messages. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#idleTimer !== null) clearTimeout(this.#idleTimer);
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }

  #watchTurn(): void {
    if (!this.#hasTurnEnded) return;
    this.#hasTurnEnded = false;
    setImmediate(() => {
      this.#hasTurnEnded = true;
      this.#directCount = 0;
      this.#dispatch();
    });
  }

  #dispatch(): void {
    if (this.#isClosed) encryptDirectly(this.#pending.splice(0));
    if (this.#pending.length === 0) return;
    if (this.#threadsMax === 0 || this.#leastBusy().unfinished >= BACKLOG_MAX) this.#encryptSome();
    if (this.#threadsMax > 0) this.#dispatchBatches();
    // The next turn continues.
    else if (this.#pending.length > 0) this.#watchTurn();
  }

  #encryptSome(): void {
    const deadline = performance.now() + MAIN_THREAD_MAX_MS;
    while (this.#pending.length > 0 && performance.now() < deadline) {
      encryptDirectly(this.#pending.splice(0, 1));
    }
  }

  #dispatchBatches(): void {
    while (this.#pending.length > 0) this.#leastBusy().send(this.#pending.splice(0, BATCH_MAX));
    this.#scheduleIdleEnd();
  }

  #leastBusy(): EncryptionThread {
    let leastBusy: EncryptionThread | null = null;
    for (const thread of this.#threads) {
      if (leastBusy === null || thread.unfinished < leastBusy.unfinished) leastBusy = thread;
    }
    const isBusy = leastBusy === null || leastBusy.unfinished > 0;
    if (leastBusy !== null && (!isBusy || this.#threads.size >= this.#threadsMax)) return leastBusy;
    return this.#startThread();
  }

  #startThread(): EncryptionThread {
    const thread: EncryptionThread = new EncryptionThread((lost) => {
      this.#threads.delete(thread);
      // Not on another thread, which may end for the same reason.
      encryptDirectly(lost);
    });
    this.#threads.add(thread);
    return thread;
  }

  #scheduleIdleEnd(): void {
    this.#idleTimer ??= setTimeout(() => this.#endIdle(), IDLE_MS).unref();
    this.#idleTimer.refresh();
  }

  #endIdle(): void {
    this.#idleTimer = null;
    for (const thread of this.#threads) void thread.end();
  }
}

function encryptDirectly(messages: readonly PendingMessage[]): void {
  for (const { keys, plaintext, resolve, reject } of messages) {
    try {
      resolve(encrypt({ keys, plaintext }));
    } catch (error) {
      reject(error);
    }
  }
}
