import type { MailboxMessage, Proof, SignedInApp } from "./app.ts";
import type { AppConnection } from "./app-streams.ts";
import { recordProofsWithRetries, type RecordProofsDeps } from "./record-proofs-with-retries.ts";
import type { MailboxEntry } from "./store/read.ts";
import { listSubscribedChannels, selectTopic } from "./subscriptions.ts";

/** The dependencies of a stream. */
export interface AppStreamDeps extends RecordProofsDeps {
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
  /** Returns the contents of entries. */
  readonly load: (entries: readonly MailboxEntry[]) => Promise<readonly MailboxMessage[]>;
  /** Called once, after the stream has ended. */
  readonly onEnd: (stream: AppStream) => void;
}

/** Reads up to `limit` entries after a number. */
export type ReadEntries = (after: number, limit: number) => Promise<readonly MailboxEntry[]>;

/** Maximum number of messages between two pings. */
const BATCH_MAX = 50;
/** Interval of the pings of an idle connection: proxies end a connection that is silent for a minute. */
const PING_INTERVAL_MS = 45_000;
/** Time without an answer to a ping after which the connection is dead. */
const ANSWER_TIMEOUT_MS = 60_000;
/** Delay after the database failed. */
const RETRY_MS = 1_000;

/**
 * The messages on one connection of an app. Writes them in the order of their numbers, and records what the app
 * answers: the pong to a ping proves the messages before the ping.
 */
export class AppStream {
  readonly app: SignedInApp;
  readonly connection: AppConnection;
  readonly #deps: AppStreamDeps;
  /** When the connection was opened, in milliseconds since the epoch. */
  readonly openedAt: number;
  #read: ReadEntries | null = null;
  /** All messages up to this number are written or left out. */
  #position = 0;
  /** The numbers of messages that were written and not proven, in their order. */
  #unproven: readonly number[] = [];
  #lastWritten = 0;
  #pingedAt: number;
  /** The time since which a ping has no answer; null if every ping has one. */
  #unansweredSince: number | null = null;
  #isWoken = true;
  #isPumping = false;
  #hasEnded = false;

  constructor(
    deps: AppStreamDeps,
    { app, connection, openedAt }: Pick<AppStream, "app" | "connection" | "openedAt">,
  ) {
    this.#deps = deps;
    this.app = app;
    this.connection = connection;
    this.openedAt = openedAt;
    this.#pingedAt = deps.elapsed();
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The channels that the connection listens to; null for every channel. */
  get channels(): readonly string[] | null {
    return listSubscribedChannels(this.connection.subscriptions);
  }

  /** Begins to write messages. */
  start(read: ReadEntries): void {
    this.#read = read;
    this.wake();
  }

  /** Writes new messages. Safe to call at any time. */
  wake(): void {
    this.#isWoken = true;
    if (this.#read === null || this.#isPumping || this.#hasEnded) return;
    this.#isPumping = true;
    void this.#pump(this.#read);
  }

  /** Records that the app has all messages of this connection up to a number. */
  confirm(number: number): void {
    if (!Number.isSafeInteger(number) || this.#hasEnded) return;
    // An answer to an earlier ping shows that the app is alive.
    this.#unansweredSince = number >= this.#lastWritten ? null : this.#deps.elapsed();
    const numbers = this.#unproven.filter((unproven) => unproven <= number);
    this.#unproven = this.#unproven.filter((unproven) => unproven > number);
    void this.#recordProofs(numbers, "answered");
  }

  /** Sends a ping if the connection was idle for long, and destroys a connection that answers none. */
  check(): void {
    const now = this.#deps.elapsed();
    const isDead =
      this.#unansweredSince !== null && now - this.#unansweredSince >= ANSWER_TIMEOUT_MS;
    if (isDead) this.destroy();
    else if (now - this.#pingedAt >= PING_INTERVAL_MS) this.#ping();
  }

  /** Ends the stream after its connection closed. Idempotent. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#deps.onEnd(this);
  }

  /** Ends the stream and its connection without a closing handshake. Idempotent. */
  destroy(): void {
    if (this.#hasEnded) return;
    this.end();
    this.connection.destroy();
  }

  /** Never rejects: after a failure of the database, it continues. */
  async #pump(read: ReadEntries): Promise<void> {
    while (this.#isWoken && !this.#hasEnded) {
      this.#isWoken = false;
      try {
        await this.#writeNew(read);
      } catch (error) {
        this.#deps.log.warn({ err: error }, "the messages of an app cannot be read yet");
        this.#isWoken = true;
        await new Promise<void>((resolve) => this.#deps.schedule(RETRY_MS, resolve));
      }
    }
    this.#isPumping = false;
  }

  async #writeNew(read: ReadEntries): Promise<void> {
    let count: number;
    do {
      const entries = await read(this.#position, BATCH_MAX);
      count = entries.length;
      if (count > 0) await this.#writeBatch(entries);
    } while (count === BATCH_MAX && !this.#hasEnded);
  }

  async #writeBatch(entries: readonly MailboxEntry[]): Promise<void> {
    const written: number[] = [];
    for (const message of await this.#deps.load(entries)) {
      if (this.#hasEnded) return;
      const topic = selectTopic(this.connection.subscriptions, message.channel);
      if (topic === null || !this.connection.matches(message)) continue;
      try {
        await this.connection.write({ topic, message });
      } catch {
        // The connection is closed. The app is still owed the message.
        this.destroy();
        return;
      }
      written.push(message.number);
    }
    this.#position = entries.at(-1)?.number ?? this.#position;
    const last = written.at(-1);
    if (last === undefined) return;
    this.#lastWritten = last;
    if (this.connection.ping === null) {
      await this.#recordProofs(written, "written");
      return;
    }
    this.#unproven = [...this.#unproven, ...written];
    this.#ping();
  }

  #ping(): void {
    const { ping } = this.connection;
    if (ping === null || this.#hasEnded) return;
    this.#pingedAt = this.#deps.elapsed();
    this.#unansweredSince ??= this.#pingedAt;
    ping(this.#lastWritten);
  }

  /** Never rejects: the proofs are recorded once the database can be written, even if the stream has ended. */
  async #recordProofs(numbers: readonly number[], how: Proof): Promise<void> {
    const { deviceId } = this.app;
    const proofs = numbers.map((number) => ({ deviceId, number, how }));
    await recordProofsWithRetries(this.#deps, proofs);
  }
}
