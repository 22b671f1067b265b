import { availableParallelism } from "node:os";
import { encrypt, PLAINTEXT_MAX_BYTES, type EncryptionRequest } from "../encrypt.ts";
import { EncryptionThread } from "./encryption-thread.ts";

/** A message whose caller waits for the encrypted body. */
export interface PendingMessage extends Pick<EncryptionRequest, "keys" | "plaintext"> {
  readonly resolve: (body: Buffer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * In each turn of the event loop, the main thread encrypts up to this many messages itself, because transferring a few
 * messages to a thread takes longer than encrypting them.
 */
const DIRECT_MESSAGES_MAX = 2;
/** The maximum number of messages in one batch for a thread. */
const BATCH_MESSAGES_MAX = 16;
/** If every thread has this many unfinished messages, the main thread encrypts as well. */
const BACKLOG_MESSAGES_MAX = 4 * BATCH_MESSAGES_MAX;
/** The time limit of one turn of the event loop for encrypting pending messages on the main thread. */
const MAIN_THREAD_MAX_MS = 2;
/**
 * One thread for each core but the main thread's, at most eight. On a single core, the main thread encrypts within its
 * time limit.
 */
const THREADS_MAX = Math.min(8, availableParallelism() - 1);
/** The threads end when no batch was sent for this long, because idle threads use memory. */
const IDLE_TIMEOUT_MS = 30_000;

/** Encrypts push messages: a few on the main thread, many on other threads. */
export class Encryptor {
  readonly #threads = new Set<EncryptionThread>();
  readonly #pending: PendingMessage[] = [];
  /** The number of messages that `encrypt` handled directly in this turn of the event loop. */
  #directCount = 0;
  #isDispatchScheduled = false;
  #isClosed = false;
  #idleTimer: NodeJS.Timeout | null = null;
  readonly #threadsMax: number;

  constructor(threadsMax = THREADS_MAX) {
    this.#threadsMax = threadsMax;
  }

  /** Encrypts a message. Resolves and rejects as the function `encrypt` of `encrypt.ts` returns and throws. */
  async encrypt({
    keys,
    plaintext,
  }: Pick<EncryptionRequest, "keys" | "plaintext">): Promise<Buffer> {
    this.#scheduleDispatch();
    const canEncryptDirectly =
      this.#pending.length === 0 && this.#directCount < DIRECT_MESSAGES_MAX;
    // A plaintext that is too long goes here too, because `encrypt` rejects it.
    if (this.#isClosed || canEncryptDirectly || plaintext.length > PLAINTEXT_MAX_BYTES) {
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
    await Promise.all([...this.#threads].map((thread) => thread.terminate()));
  }

  #scheduleDispatch(): void {
    if (this.#isDispatchScheduled) return;
    this.#isDispatchScheduled = true;
    setImmediate(() => {
      this.#isDispatchScheduled = false;
      this.#directCount = 0;
      this.#dispatch();
    });
  }

  #dispatch(): void {
    if (this.#isClosed) encryptOnMainThread(this.#pending.splice(0));
    if (this.#pending.length === 0) return;
    if (this.#threadsMax === 0 || this.#pickThread().unfinishedCount >= BACKLOG_MESSAGES_MAX)
      this.#encryptForOneTurn();
    if (this.#threadsMax > 0) this.#dispatchBatches();
    // The next turn continues.
    else if (this.#pending.length > 0) this.#scheduleDispatch();
  }

  #encryptForOneTurn(): void {
    const deadline = performance.now() + MAIN_THREAD_MAX_MS;
    while (this.#pending.length > 0 && performance.now() < deadline) {
      encryptOnMainThread(this.#pending.splice(0, 1));
    }
  }

  #dispatchBatches(): void {
    while (this.#pending.length > 0)
      this.#pickThread().sendBatch(this.#pending.splice(0, BATCH_MESSAGES_MAX));
    this.#restartIdleTimer();
  }

  /** Returns an idle thread, a new one while there may be more, or else the least busy one. */
  #pickThread(): EncryptionThread {
    let leastBusy: EncryptionThread | null = null;
    for (const thread of this.#threads) {
      if (leastBusy === null || thread.unfinishedCount < leastBusy.unfinishedCount)
        leastBusy = thread;
    }
    const isBusy = leastBusy === null || leastBusy.unfinishedCount > 0;
    if (leastBusy !== null && (!isBusy || this.#threads.size >= this.#threadsMax)) return leastBusy;
    return this.#startThread();
  }

  #startThread(): EncryptionThread {
    const thread: EncryptionThread = new EncryptionThread((unfinishedMessages) => {
      this.#threads.delete(thread);
      // On the main thread, because a message that ended this thread might end another one.
      encryptOnMainThread(unfinishedMessages);
    });
    this.#threads.add(thread);
    return thread;
  }

  #restartIdleTimer(): void {
    this.#idleTimer ??= setTimeout(() => this.#endThreads(), IDLE_TIMEOUT_MS).unref();
    this.#idleTimer.refresh();
  }

  #endThreads(): void {
    this.#idleTimer = null;
    for (const thread of this.#threads) void thread.terminate();
  }
}

function encryptOnMainThread(messages: readonly PendingMessage[]): void {
  for (const { keys, plaintext, resolve, reject } of messages) {
    try {
      resolve(encrypt({ keys, plaintext }));
    } catch (error) {
      reject(error);
    }
  }
}
