import type { Context } from "#context.ts";
import type { DatabaseClock } from "./database-clock.ts";
import type { Nodes, Take } from "./nodes.ts";
import { pack, unpack, type NodeMessage } from "./message.ts";
import { beat, bury, leave, notify, type Beat } from "./store.ts";

/** A subscription to a channel of the database. */
export interface ChannelSubscription {
  readonly isUp: boolean;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** The channel and the callbacks of a subscription. */
export interface SubscriptionDeps {
  readonly channel: string;
  readonly onText: (text: string) => void;
  readonly onUp: () => void;
  readonly onDown: () => void;
}

export interface SharedNodesOptions {
  readonly id: string;
  readonly role: string;
  readonly context: Pick<Context, "database" | "log">;
  readonly clock: DatabaseClock;
  readonly subscribe: (deps: SubscriptionDeps) => ChannelSubscription;
}

const BEAT_EVERY_MS = 2_000;
/** Time unseen after which a node is dead: its work goes to others. */
export const DEAD_AFTER_MS = 8_000;
/**
 * Longest silence of this node after which it declares others dead. After a longer one they may have lost the database
 * as well, and be about to return.
 */
const SILENT_MAX_MS = 2 * BEAT_EVERY_MS;
/**
 * Silence from which this node is unsettled. No renewed lease ends sooner, so after a shorter silence it cannot claim
 * the others' work.
 */
const UNSETTLED_AFTER_MS = 10_000;
/** Time after a long silence in which every node can beat, even one whose connection had to end first. */
const SETTLE_MS = 5_000;
/** Shortest wait between two beats, whatever is expected. */
const BEAT_MIN_MS = 50;
/** Time in which messages are collected, to be published together. */
const TELL_AFTER_MS = 10;
/** Most unsent messages kept: beyond it, one message notifies the others of the gap. */
const UNTOLD_MAX = 10_000;
const CHANNEL = "tocsin";
const MISSED = "missed";
const HELLO = "hello";

/**
 * One of the processes that share a PostgreSQL database: it reports that it lives, publishes to the others, and
 * subscribes to them.
 */
export class SharedNodes implements Nodes {
  readonly id: string;
  readonly #options: SharedNodesOptions;
  readonly #subscription: ChannelSubscription;
  readonly #takes = new Map<string, Take[]>();
  readonly #missed: (() => void)[] = [];
  readonly #beats: (() => Promise<void>)[] = [];
  readonly #deaths: ((ids: readonly string[]) => Promise<void>)[] = [];
  readonly #returns: (() => void)[] = [];
  #count = 1;
  /** A moment of the database's clock: absence before it does not count against a node. */
  #countsFrom = 0;
  /** Time of the last successful beat, by `elapsed`; so is `#settlesAt`. */
  #beatAt = Number.NEGATIVE_INFINITY;
  #settlesAt = 0;
  #unsent: NodeMessage[] = [];
  #telling: Promise<void> | null = null;
  #beating: Promise<void> | null = null;
  /** Work that a beat found; the next one does not wait for it. */
  #working: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isStarted = false;
  #isStopped = false;

  constructor(options: SharedNodesOptions) {
    this.id = options.id;
    this.#options = options;
    this.#subscription = options.subscribe({
      channel: CHANNEL,
      onText: (text) => this.#receive(text),
      onUp: () => this.#tellMissed(),
      onDown: () => this.#tellMissed(),
    });
  }

  get count(): number {
    return this.#count;
  }

  get isListening(): boolean {
    return this.#subscription.isUp;
  }

  get isSettled(): boolean {
    const at = this.#options.clock.elapsed();
    return at - this.#beatAt <= UNSETTLED_AFTER_MS && at >= this.#settlesAt;
  }

  publish(topic: string, body: unknown = null): void {
    // A lone node has no subscriber; a new node reads the database first.
    if (this.#count > 1 && !this.#isStopped) this.#push({ topic, body });
  }

  on(topic: string, take: Take): void {
    this.#takes.set(topic, [...(this.#takes.get(topic) ?? []), take]);
  }

  onGap(run: () => void): void {
    this.#missed.push(run);
  }

  onBeat(run: () => Promise<void>): void {
    this.#beats.push(run);
  }

  onDead(run: (ids: readonly string[]) => Promise<void>): void {
    this.#deaths.push(run);
  }

  onReturn(run: () => void): void {
    this.#returns.push(run);
  }

  /** Subscribes first, so that changes after the first read of the database arrive. */
  async start(): Promise<void> {
    this.on(HELLO, () => (this.#count = Math.max(2, this.#count)));
    this.on(MISSED, () => this.#tellMissed());
    await this.#subscription.start();
    await this.#beat();
    this.#isStarted = true;
    // Nodes that came since the beat are not known yet.
    this.#push({ topic: HELLO, body: null });
    await this.#telling;
  }

  /** Publishes what is left, unsubscribes, and removes this node from the others' view. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#beating;
    await this.#working;
    await this.#telling;
    await this.#subscription.stop();
    try {
      await leave(this.#options.context.database, this.id);
    } catch (error) {
      this.#options.context.log.warn({ err: error }, "the others will take this node for dead");
    }
  }

  /** Never rejects. */
  async #beat(): Promise<void> {
    const { context, clock, role } = this.#options;
    const askedAt = clock.elapsed();
    let waitMs = BEAT_EVERY_MS;
    try {
      const judgement = {
        deadAfterMs: DEAD_AFTER_MS,
        countsFrom: this.#countsFrom,
        silentMaxMs: SILENT_MAX_MS,
      };
      const seen = await beat(context.database, { id: this.id, role, ...judgement });
      const heardAt = clock.elapsed();
      clock.take({ askedAt, at: seen.at, heardAt });
      const { silentMs } = seen;
      if (silentMs > UNSETTLED_AFTER_MS) this.#settlesAt = heardAt + SETTLE_MS;
      this.#beatAt = heardAt;
      const wasSilent = silentMs > SILENT_MAX_MS;
      this.#countsFrom = wasSilent ? seen.at : Math.min(this.#countsFrom, seen.at);
      this.#count = seen.others + 1;
      waitMs = waitAfter(seen, this.#countsFrom);
      // Leases of this node may have been taken over, or be about to end.
      if ((wasSilent || !seen.wasKnown) && this.#isStarted) for (const run of this.#returns) run();
      this.#working ??= this.#work(seen.dead).finally(() => (this.#working = null));
    } catch (error) {
      context.log.warn({ err: error }, "the database cannot be told that this node lives");
    }
    if (this.#isStopped) return;
    const leftMs = waitMs - (clock.elapsed() - askedAt);
    this.#timer = setTimeout(
      () => {
        this.#beating = this.#beat();
      },
      Math.max(BEAT_MIN_MS, leftMs),
    ).unref();
  }

  /** Never rejects. */
  async #work(dead: readonly string[]): Promise<void> {
    try {
      await this.#takeOver(dead);
      for (const run of this.#beats) await run();
    } catch (error) {
      this.#options.context.log.warn({ err: error }, "what others left to do cannot be done yet");
    }
  }

  /**
   * Takes over from dead nodes, then deletes them. If this one dies in between, the takeover is repeated, which changes
   * nothing.
   */
  async #takeOver(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    for (const run of this.#deaths) await run(ids);
    await bury(this.#options.context.database, { ids, deadAfterMs: DEAD_AFTER_MS });
    this.#options.context.log.warn(
      { nodes: ids },
      "nodes that were not seen any more were given up",
    );
  }

  #push(news: NodeMessage): void {
    if (this.#unsent.length >= UNTOLD_MAX) this.#unsent = [{ topic: MISSED, body: null }];
    this.#unsent.push(news);
    this.#telling ??= this.#tellSoon();
  }

  /**
   * Never rejects: messages that cannot be published are lost, and the others are notified of the gap once that is
   * possible again.
   */
  async #tellSoon(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, TELL_AFTER_MS));
    const news = this.#unsent;
    this.#unsent = [];
    try {
      for (const texts of pack(this.id, news)) {
        await notify(this.#options.context.database, { channel: CHANNEL, texts });
      }
    } catch (error) {
      this.#options.context.log.warn({ err: error }, "the other nodes could not be told");
      this.#unsent = [{ topic: MISSED, body: null }];
      await new Promise((resolve) => setTimeout(resolve, BEAT_EVERY_MS));
    }
    const isMore = this.#unsent.length > 0 && !this.#isStopped;
    this.#telling = isMore ? this.#tellSoon() : null;
  }

  #receive(text: string): void {
    const told = unpack(text);
    if (told === null || told.from === this.id) return;
    for (const { topic, body } of told.news) {
      for (const take of this.#takes.get(topic) ?? []) take(body);
    }
  }

  #tellMissed(): void {
    for (const run of this.#missed) run();
  }
}

/**
 * Returns the wait until the next beat. It comes right after an expected death: the work of the dead waits no longer
 * than it must.
 */
function waitAfter({ at, oldestSeenAt }: Beat, countsFrom: number): number {
  if (oldestSeenAt === null) return BEAT_EVERY_MS;
  const untilDeathMs = Math.max(oldestSeenAt, countsFrom) + DEAD_AFTER_MS - at;
  return Math.max(BEAT_MIN_MS, Math.min(BEAT_EVERY_MS, untilDeathMs + 1));
}
