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
   * Returns those of at most 500 sessions and access tokens that are still valid, each with its end in milliseconds since
   * the epoch; null for one without an end.
   */
  readonly find: (credentialIds: readonly string[]) => Promise<ReadonlyMap<string, number | null>>;
  /** False while messages of other nodes may get lost. */
  readonly isHearing: () => boolean;
}

/** How often expired sessions are looked for; while messages may get lost, all others too. */
const SWEEP_EVERY_MS = 1_000;
/** After so many sweeps, every credential is looked up again. */
const SWEEPS_BETWEEN_ALL = 60;
/** The limit of credentials in one query. */
const ASKED_MAX = 500;

/** The permission of a stream, as the stream uses it. */
export interface StreamPermission {
  /**
   * Resolves with whether the permission has lasted since it was looked up, because a stream that was not registered yet got
   * no review. Rejects if the database does not answer.
   */
  readonly stands: Promise<boolean>;
  /** Called before each event. An event after a session's end waits until the session is looked up. */
  readonly beforeEvent: () => void;
  readonly leave: () => void;
}

interface OpenStream extends Reader {
  endsAt: number | null;
}

/**
 * Keeps live streams to those who may still read them. Whoever ends a session, an access token or an account calls `review`
 * after the commit; other nodes hear of it. From then on the account's streams get nothing until the database has said that
 * what opened them still stands, and otherwise they end.
 */
export class StreamRights {
  readonly #options: RightsOptions;
  /** By account, because many unused sessions may end at once. */
  readonly #known = new Map<string, Set<OpenStream>>();
  /** The streams to be looked up. */
  readonly #asked = new Set<OpenStream>();
  #isAsking = false;
  #isFailing = false;
  #sweeps = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: RightsOptions) {
    this.#options = options;
  }

  /** Adds a stream until it leaves. */
  admit(reader: Reader): StreamPermission {
    const entry: OpenStream = { ...reader, endsAt: null };
    const known = this.#knownOf(reader.accountId);
    this.#known.set(reader.accountId, known.add(entry));
    this.#timer ??= setInterval(() => this.#sweep(), SWEEP_EVERY_MS).unref();
    return {
      stands: this.#stands(entry),
      beforeEvent: () => {
        if (this.#isOver(entry)) this.#ask([entry]);
      },
      leave: () => this.#remove(entry),
    };
  }

  /** Looks up the streams of an account, which get no events meanwhile. */
  review(accountId: string): void {
    this.#ask([...this.#knownOf(accountId)]);
  }

  /** Looks up all streams, which get no events meanwhile. */
  reviewAll(): void {
    this.#ask(this.#all());
  }

  async #stands(known: OpenStream): Promise<boolean> {
    const endsAt = (await this.#options.find([known.credentialId])).get(known.credentialId);
    known.endsAt = endsAt ?? null;
    return endsAt !== undefined;
  }

  #remove(known: OpenStream): void {
    const others = this.#knownOf(known.accountId);
    others.delete(known);
    if (others.size === 0) this.#known.delete(known.accountId);
    this.#asked.delete(known);
    if (this.#known.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  #knownOf(accountId: string): Set<OpenStream> {
    return this.#known.get(accountId) ?? new Set();
  }

  #isHere(known: OpenStream): boolean {
    return this.#knownOf(known.accountId).has(known);
  }

  #all(): readonly OpenStream[] {
    return [...this.#known.values()].flatMap((known) => [...known]);
  }

  #sweep(): void {
    this.#sweeps += 1;
    const isAll = this.#sweeps % SWEEPS_BETWEEN_ALL === 0 || !this.#options.isHearing();
    // Together with those that could not be looked up before.
    this.#ask(this.#all().filter((known) => isAll || this.#isOver(known)));
  }

  #isOver({ endsAt }: OpenStream): boolean {
    return endsAt !== null && endsAt <= this.#options.now();
  }

  #ask(readers: readonly OpenStream[]): void {
    for (const known of readers) {
      known.stream.hold();
      this.#asked.add(known);
    }
    if (this.#isAsking || this.#asked.size === 0) return;
    this.#isAsking = true;
    void this.#answer().finally(() => (this.#isAsking = false));
  }

  /** Never rejects. While the database does not answer, no stream ends, and those to be looked up get no events. */
  async #answer(): Promise<void> {
    while (this.#asked.size > 0) {
      const asked = [...this.#asked].slice(0, ASKED_MAX);
      for (const known of asked) this.#asked.delete(known);
      try {
        const standing = await this.#options.find(asked.map(({ credentialId }) => credentialId));
        this.#isFailing = false;
        for (const known of asked) this.#judge(known, standing);
      } catch (error) {
        for (const known of asked) if (this.#isHere(known)) this.#asked.add(known);
        if (!this.#isFailing)
          this.#options.log.warn({ err: error }, "who may read live streams is looked up later");
        this.#isFailing = true;
        return;
      }
    }
  }

  #judge(known: OpenStream, standing: ReadonlyMap<string, number | null>): void {
    // A new review came meanwhile, so this result may be outdated.
    if (this.#asked.has(known) || !this.#isHere(known)) return;
    const endsAt = standing.get(known.credentialId);
    if (endsAt === undefined) {
      this.#remove(known);
      known.stream.end();
    } else {
      known.endsAt = endsAt;
      known.stream.release();
    }
  }
}
