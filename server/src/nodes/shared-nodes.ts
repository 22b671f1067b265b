import type { Context } from "#context.ts";
import type { DatabaseClock } from "./database-clock.ts";
import type { Nodes, MessageHandler } from "./nodes.ts";
import { pack, unpack, type NodeMessage } from "./message.ts";
import { beat, deleteDeadNodes, leave, notify, type Beat } from "./store.ts";

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

const BEAT_INTERVAL_MS = 2_000;
/** Time without a beat after which a node is dead: other nodes take over its work. */
export const DEAD_AFTER_MS = 8_000;
/**
 * Longest silence of this node after which it declares others dead. After a longer one, the others may have lost the
 * database as well and be about to return.
 */
const SILENT_MAX_MS = 2 * BEAT_INTERVAL_MS;
/**
 * Silence from which this node is unsettled. No renewed lease ends earlier, so after a shorter silence the node cannot
 * claim work of the others.
 */
const UNSETTLED_AFTER_MS = 10_000;
/** Time after a long silence that lets every node beat, even one whose connection must fail first. */
const SETTLE_MS = 5_000;
/** Shortest wait between two beats. */
const BEAT_MIN_MS = 50;
/** Time for which messages are collected, to be published together. */
const PUBLISH_DELAY_MS = 10;
/** Maximum number of unsent messages. Above it, one message announces the gap to the others. */
const UNSENT_MAX = 10_000;
const CHANNEL = "tocsin";
const GAP = "missed";
const HELLO = "hello";

/**
 * One of the processes that share a PostgreSQL database. It reports that it is alive, publishes to the others and
 * subscribes to them.
 */
export class SharedNodes implements Nodes {
  readonly id: string;
  readonly #options: SharedNodesOptions;
  readonly #subscription: ChannelSubscription;
  readonly #handlers = new Map<string, MessageHandler[]>();
  readonly #gapListeners: (() => void)[] = [];
  readonly #beatListeners: (() => Promise<void>)[] = [];
  readonly #deathListeners: ((ids: readonly string[]) => Promise<void>)[] = [];
  readonly #returnListeners: (() => void)[] = [];
  #count = 1;
  /** A time of the database's clock. Absence before it does not count against a node. */
  #countsFrom = 0;
  /** Time of the last successful beat, by `elapsed`, like `#settledAt`. */
  #beatAt = Number.NEGATIVE_INFINITY;
  #settledAt = 0;
  #unsent: NodeMessage[] = [];
  #publishing: Promise<void> | null = null;
  #beating: Promise<void> | null = null;
  /** Work that a beat started. The next beat does not wait for it. */
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
      onUp: () => this.#notifyGap(),
      onDown: () => this.#notifyGap(),
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
    return at - this.#beatAt <= UNSETTLED_AFTER_MS && at >= this.#settledAt;
  }

  publish(topic: string, body: unknown = null): void {
    // A lone node has no subscriber, and a new node reads the database first.
    if (this.#count > 1 && !this.#isStopped) this.#push({ topic, body });
  }

  on(topic: string, handle: MessageHandler): void {
    this.#handlers.set(topic, [...(this.#handlers.get(topic) ?? []), handle]);
  }

  onGap(run: () => void): void {
    this.#gapListeners.push(run);
  }

  onBeat(run: () => Promise<void>): void {
    this.#beatListeners.push(run);
  }

  onDead(run: (ids: readonly string[]) => Promise<void>): void {
    this.#deathListeners.push(run);
  }

  onReturn(run: () => void): void {
    this.#returnListeners.push(run);
  }

  /** Subscribes first, so that no change after the first read of the database is missed. */
  async start(): Promise<void> {
    this.on(HELLO, () => (this.#count = Math.max(2, this.#count)));
    this.on(GAP, () => this.#notifyGap());
    await this.#subscription.start();
    await this.#beat();
    this.#isStarted = true;
    // Nodes that started after the beat are not known yet.
    this.#push({ topic: HELLO, body: null });
    await this.#publishing;
  }

  /** Publishes the remaining messages, unsubscribes, and removes this node from the database. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#beating;
    await this.#working;
    await this.#publishing;
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
    const requestedAt = clock.elapsed();
    let waitMs = BEAT_INTERVAL_MS;
    try {
      const rules = {
        deadAfterMs: DEAD_AFTER_MS,
        countsFrom: this.#countsFrom,
        silentMaxMs: SILENT_MAX_MS,
      };
      const result = await beat(context.database, { id: this.id, role, ...rules });
      const receivedAt = clock.elapsed();
      clock.apply({ requestedAt, at: result.at, receivedAt });
      const { silentMs } = result;
      if (silentMs > UNSETTLED_AFTER_MS) this.#settledAt = receivedAt + SETTLE_MS;
      this.#beatAt = receivedAt;
      const wasSilent = silentMs > SILENT_MAX_MS;
      this.#countsFrom = wasSilent ? result.at : Math.min(this.#countsFrom, result.at);
      this.#count = result.others + 1;
      waitMs = waitAfter(result, this.#countsFrom);
      // Leases of this node may have been taken over or may expire soon.
      if ((wasSilent || !result.wasKnown) && this.#isStarted)
        for (const run of this.#returnListeners) run();
      this.#working ??= this.#work(result.dead).finally(() => (this.#working = null));
    } catch (error) {
      context.log.warn({ err: error }, "the database cannot be told that this node lives");
    }
    if (this.#isStopped) return;
    const remainingMs = waitMs - (clock.elapsed() - requestedAt);
    this.#timer = setTimeout(
      () => {
        this.#beating = this.#beat();
      },
      Math.max(BEAT_MIN_MS, remainingMs),
    ).unref();
  }

  /** Never rejects. */
  async #work(dead: readonly string[]): Promise<void> {
    try {
      await this.#takeOver(dead);
      for (const run of this.#beatListeners) await run();
    } catch (error) {
      this.#options.context.log.warn({ err: error }, "what others left to do cannot be done yet");
    }
  }

  /**
   * Takes over from dead nodes, then deletes them. If this node dies in between, another one repeats the takeover,
   * which is idempotent.
   */
  async #takeOver(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    for (const run of this.#deathListeners) await run(ids);
    await deleteDeadNodes(this.#options.context.database, { ids, deadAfterMs: DEAD_AFTER_MS });
    this.#options.context.log.warn(
      { nodes: ids },
      "nodes that were not seen any more were given up",
    );
  }

  #push(message: NodeMessage): void {
    if (this.#unsent.length >= UNSENT_MAX) this.#unsent = [{ topic: GAP, body: null }];
    this.#unsent.push(message);
    this.#publishing ??= this.#publishSoon();
  }

  /**
   * Never rejects. Messages that cannot be published are lost; the gap is announced to the others once that is
   * possible.
   */
  async #publishSoon(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, PUBLISH_DELAY_MS));
    const messages = this.#unsent;
    this.#unsent = [];
    try {
      for (const texts of pack(this.id, messages)) {
        await notify(this.#options.context.database, { channel: CHANNEL, texts });
      }
    } catch (error) {
      this.#options.context.log.warn({ err: error }, "the other nodes could not be told");
      this.#unsent = [{ topic: GAP, body: null }];
      await new Promise((resolve) => setTimeout(resolve, BEAT_INTERVAL_MS));
    }
    const hasMore = this.#unsent.length > 0 && !this.#isStopped;
    this.#publishing = hasMore ? this.#publishSoon() : null;
  }

  #receive(text: string): void {
    const envelope = unpack(text);
    if (envelope === null || envelope.from === this.id) return;
    for (const { topic, body } of envelope.news) {
      for (const handle of this.#handlers.get(topic) ?? []) handle(body);
    }
  }

  #notifyGap(): void {
    for (const run of this.#gapListeners) run();
  }
}

/**
 * Returns the wait until the next beat. It comes right after an expected death, so that the work of the dead node is
 * taken over as soon as possible.
 */
function waitAfter({ at, oldestSeenAt }: Beat, countsFrom: number): number {
  if (oldestSeenAt === null) return BEAT_INTERVAL_MS;
  const untilDeathMs = Math.max(oldestSeenAt, countsFrom) + DEAD_AFTER_MS - at;
  return Math.max(BEAT_MIN_MS, Math.min(BEAT_INTERVAL_MS, untilDeathMs + 1));
}
