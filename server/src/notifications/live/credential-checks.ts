import type { Logger } from "pino";
import type { LiveStream } from "./stream.ts";

/** An open stream, and the credential that opened it. */
export interface CredentialedStream {
  readonly accountId: string;
  /** The session or access token. */
  readonly credentialId: string;
  readonly stream: Pick<LiveStream, "pause" | "resume" | "end">;
}

/** The dependencies of the credential checks of open streams. */
export interface StreamCredentialChecksDeps {
  readonly now: () => number;
  readonly log: Logger;
  /**
   * Returns the valid ones of at most 500 sessions and access tokens, and when each ends: in milliseconds since the
   * epoch, or null for a credential without an end.
   */
  readonly findValidCredentials: (
    credentialIds: readonly string[],
  ) => Promise<ReadonlyMap<string, number | null>>;
  /** False while messages from other nodes may be lost. */
  readonly isListening: () => boolean;
}

/** The interval of the sweeps, which check expired credentials, or all of them while messages may be lost. */
const SWEEP_INTERVAL_MS = 1_000;
/** The number of sweeps after which all credentials are checked again. */
const SWEEPS_PER_FULL_CHECK = 60;
/** The maximum number of credentials in one query. */
const CREDENTIALS_PER_QUERY_MAX = 500;

/** The check of one open stream's credential. */
export interface StreamCheck {
  /**
   * Resolves with whether the credential is valid. A revocation just before the stream was registered would otherwise
   * go unnoticed, because `review` checks only registered streams. Rejects if the database does not answer.
   */
  readonly isValid: Promise<boolean>;
  /** Called before each event. An event after the end of a session waits until the session is checked. */
  readonly beforeEvent: () => void;
  /** Stops the checks of the stream. */
  readonly remove: () => void;
}

interface CheckedStream extends CredentialedStream {
  endsAt: number | null;
}

/**
 * Ends live streams whose credential is no longer valid. Code that ends a session, an access token or an account
 * calls `review` after the commit, on every node. The account's streams then get no events until the database
 * confirms their credentials.
 */
export class StreamCredentialChecks {
  readonly #deps: StreamCredentialChecksDeps;
  /** By account, so that `review` need not search all streams when many accounts are reviewed at once. */
  readonly #streams = new Map<string, Set<CheckedStream>>();
  /** The streams that wait for a check. */
  readonly #pending = new Set<CheckedStream>();
  #isChecking = false;
  #isFailing = false;
  #sweepCount = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(deps: StreamCredentialChecksDeps) {
    this.#deps = deps;
  }

  /** Adds a stream. Call `remove` when it closes. */
  add(reader: CredentialedStream): StreamCheck {
    const entry: CheckedStream = { ...reader, endsAt: null };
    const streams = this.#findStreams(reader.accountId);
    this.#streams.set(reader.accountId, streams.add(entry));
    this.#timer ??= setInterval(() => this.#sweep(), SWEEP_INTERVAL_MS).unref();
    return {
      isValid: this.#checkCredential(entry),
      beforeEvent: () => {
        if (this.#isExpired(entry)) this.#enqueue([entry]);
      },
      remove: () => this.#remove(entry),
    };
  }

  /** Checks the streams of an account, which get no events meanwhile. */
  review(accountId: string): void {
    this.#enqueue([...this.#findStreams(accountId)]);
  }

  /** Checks all streams, which get no events meanwhile. */
  reviewAll(): void {
    this.#enqueue(this.#listStreams());
  }

  /** Returns whether the credential is valid, and stores when it ends. */
  async #checkCredential(entry: CheckedStream): Promise<boolean> {
    const endsAt = (await this.#deps.findValidCredentials([entry.credentialId])).get(
      entry.credentialId,
    );
    entry.endsAt = endsAt ?? null;
    return endsAt !== undefined;
  }

  #remove(entry: CheckedStream): void {
    const streams = this.#findStreams(entry.accountId);
    streams.delete(entry);
    if (streams.size === 0) this.#streams.delete(entry.accountId);
    this.#pending.delete(entry);
    if (this.#streams.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  #findStreams(accountId: string): Set<CheckedStream> {
    return this.#streams.get(accountId) ?? new Set();
  }

  #isRegistered(entry: CheckedStream): boolean {
    return this.#findStreams(entry.accountId).has(entry);
  }

  #listStreams(): readonly CheckedStream[] {
    return [...this.#streams.values()].flatMap((streams) => [...streams]);
  }

  #sweep(): void {
    this.#sweepCount += 1;
    const isFullCheck = this.#sweepCount % SWEEPS_PER_FULL_CHECK === 0 || !this.#deps.isListening();
    // Also retries the streams that could not be checked before.
    this.#enqueue(this.#listStreams().filter((entry) => isFullCheck || this.#isExpired(entry)));
  }

  #isExpired({ endsAt }: CheckedStream): boolean {
    return endsAt !== null && endsAt <= this.#deps.now();
  }

  #enqueue(entries: readonly CheckedStream[]): void {
    for (const entry of entries) {
      entry.stream.pause();
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
        const validCredentials = await this.#deps.findValidCredentials(
          batch.map(({ credentialId }) => credentialId),
        );
        this.#isFailing = false;
        for (const entry of batch) this.#apply(entry, validCredentials);
      } catch (error) {
        for (const entry of batch) if (this.#isRegistered(entry)) this.#pending.add(entry);
        if (!this.#isFailing)
          this.#deps.log.warn(
            { err: error },
            "credentials of live streams could not be checked; retrying",
          );
        this.#isFailing = true;
        return;
      }
    }
  }

  #apply(entry: CheckedStream, validCredentials: ReadonlyMap<string, number | null>): void {
    // A new review started in the meantime, so this result may be outdated.
    if (this.#pending.has(entry) || !this.#isRegistered(entry)) return;
    const endsAt = validCredentials.get(entry.credentialId);
    if (endsAt === undefined) {
      this.#remove(entry);
      entry.stream.end();
    } else {
      entry.endsAt = endsAt;
      entry.stream.resume();
    }
  }
}
