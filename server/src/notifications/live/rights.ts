import type { Logger } from "pino";
import type { LiveStream } from "./stream.ts";

/** An open stream, and the credential that opened it. */
export interface Reader {
  readonly accountId: string;
  /** The session or access token. */
  readonly credentialId: string;
  readonly stream: Pick<LiveStream, "hold" | "release" | "end">;
}

export interface RightsOptions {
  readonly now: () => number;
  readonly log: Logger;
  /**
   * Returns, of at most 500 sessions and access tokens, the valid ones, each with its end in milliseconds since
   * the epoch; null for one without an end.
   */
  readonly find: (credentialIds: readonly string[]) => Promise<ReadonlyMap<string, number | null>>;
  /** False while messages of other nodes may get lost. */
  readonly isHearing: () => boolean;
}

/** The interval of the checks for expired sessions. While messages may get lost, all credentials are checked. */
const SWEEP_INTERVAL_MS = 1_000;
/** The number of sweeps after which all credentials are checked again. */
const SWEEPS_BETWEEN_ALL = 60;
/** The maximum number of credentials in one query. */
const CREDENTIALS_PER_QUERY_MAX = 500;

/** The permission of an open stream. */
export interface StreamPermission {
  /**
   * Resolves with whether the credential is valid. A stream gets no review before it is registered, so a
   * revocation just before would otherwise go unnoticed. Rejects if the database does not answer.
   */
  readonly isValid: Promise<boolean>;
  /** Called before each event. An event after the end of a session waits until the session is checked. */
  readonly beforeEvent: () => void;
  readonly leave: () => void;
}

interface OpenStream extends Reader {
  endsAt: number | null;
}

/**
 * Ends live streams whose credential is no longer valid. Code that ends a session, an access token or an account
 * calls `review` after the commit, and other nodes are notified. The account's streams then get no events until the
 * database confirms their credentials. Streams without a valid credential end.
 */
export class StreamRights {
  readonly #options: RightsOptions;
  /** By account, because many unused sessions may end at the same time. */
  readonly #streams = new Map<string, Set<OpenStream>>();
  /** The streams that wait for a check. */
  readonly #pending = new Set<OpenStream>();
  #isChecking = false;
  #isFailing = false;
  #sweeps = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: RightsOptions) {
    this.#options = options;
  }

  /** Adds a stream. Call `leave` when it closes. */
  admit(reader: Reader): StreamPermission {
    const entry: OpenStream = { ...reader, endsAt: null };
    const streams = this.#streamsOf(reader.accountId);
    this.#streams.set(reader.accountId, streams.add(entry));
    this.#timer ??= setInterval(() => this.#sweep(), SWEEP_INTERVAL_MS).unref();
    return {
      isValid: this.#isValid(entry),
      beforeEvent: () => {
        if (this.#isExpired(entry)) this.#enqueue([entry]);
      },
      leave: () => this.#remove(entry),
    };
  }

  /** Checks the streams of an account, which get no events meanwhile. */
  review(accountId: string): void {
    this.#enqueue([...this.#streamsOf(accountId)]);
  }

  /** Checks all streams, which get no events meanwhile. */
  reviewAll(): void {
    this.#enqueue(this.#all());
  }

  async #isValid(entry: OpenStream): Promise<boolean> {
    const endsAt = (await this.#options.find([entry.credentialId])).get(entry.credentialId);
    entry.endsAt = endsAt ?? null;
    return endsAt !== undefined;
  }

  #remove(entry: OpenStream): void {
    const streams = this.#streamsOf(entry.accountId);
    streams.delete(entry);
    if (streams.size === 0) this.#streams.delete(entry.accountId);
    this.#pending.delete(entry);
    if (this.#streams.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  #streamsOf(accountId: string): Set<OpenStream> {
    return this.#streams.get(accountId) ?? new Set();
  }

  #isRegistered(entry: OpenStream): boolean {
    return this.#streamsOf(entry.accountId).has(entry);
  }

  #all(): readonly OpenStream[] {
    return [...this.#streams.values()].flatMap((streams) => [...streams]);
  }

  #sweep(): void {
    this.#sweeps += 1;
    const isAll = this.#sweeps % SWEEPS_BETWEEN_ALL === 0 || !this.#options.isHearing();
    // Also retries the streams that could not be checked before.
    this.#enqueue(this.#all().filter((entry) => isAll || this.#isExpired(entry)));
  }

  #isExpired({ endsAt }: OpenStream): boolean {
    return endsAt !== null && endsAt <= this.#options.now();
  }

  #enqueue(entries: readonly OpenStream[]): void {
    for (const entry of entries) {
      entry.stream.hold();
      this.#pending.add(entry);
    }
    if (this.#isChecking || this.#pending.size === 0) return;
    this.#isChecking = true;
    void this.#check().finally(() => (this.#isChecking = false));
  }

  /** Never rejects. While the database does not answer, no stream ends, and the waiting streams get no events. */
  async #check(): Promise<void> {
    while (this.#pending.size > 0) {
      const batch = [...this.#pending].slice(0, CREDENTIALS_PER_QUERY_MAX);
      for (const entry of batch) this.#pending.delete(entry);
      try {
        const valid = await this.#options.find(batch.map(({ credentialId }) => credentialId));
        this.#isFailing = false;
        for (const entry of batch) this.#apply(entry, valid);
      } catch (error) {
        for (const entry of batch) if (this.#isRegistered(entry)) this.#pending.add(entry);
        if (!this.#isFailing)
          this.#options.log.warn({ err: error }, "who may read live streams is looked up later");
        this.#isFailing = true;
        return;
      }
    }
  }

  #apply(entry: OpenStream, valid: ReadonlyMap<string, number | null>): void {
    // A new review started in the meantime, so this result may be outdated.
    if (this.#pending.has(entry) || !this.#isRegistered(entry)) return;
    const endsAt = valid.get(entry.credentialId);
    if (endsAt === undefined) {
      this.#remove(entry);
      entry.stream.end();
    } else {
      entry.endsAt = endsAt;
      entry.stream.release();
    }
  }
}
