import type { Context } from "#context.ts";
import type { DatabaseClock } from "./database-clock.ts";
import type { Nodes, MessageHandler } from "./nodes.ts";
import { encodeMessages, decodeMessages, type NodeMessage } from "./message.ts";
import {
  recordHeartbeat,
  deleteDeadNodes,
  removeNode,
  notifyChannel,
  type HeartbeatResult,
} from "./store.ts";

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

/** The identity, the database and the subscription of one node. */
export interface SharedNodesDeps {
  readonly id: string;
  readonly role: string;
  readonly context: Pick<Context, "database" | "log">;
  readonly clock: DatabaseClock;
  readonly subscribe: (deps: SubscriptionDeps) => ChannelSubscription;
}

const HEARTBEAT_INTERVAL_MS = 2_000;
/** Time without a heartbeat after which a node is dead: other nodes take over its work. */
export const DEAD_AFTER_MS = 8_000;
/**
 * Longest silence of this node after which it declares others dead. After a longer silence, the others may have lost
 * the database as well and be about to return.
 */
const SILENCE_MAX_MS = 2 * HEARTBEAT_INTERVAL_MS;
/**
 * Silence from which this node is not stable. No renewed lease ends earlier, so after a shorter silence the node cannot
 * claim work of the others.
 */
const UNSTABLE_AFTER_MS = 10_000;
/** Time after a long silence in which every node can send a heartbeat, even one whose connection must fail first. */
const STABILIZE_MS = 5_000;
/** Shortest wait between two heartbeats. */
const HEARTBEAT_DELAY_MIN_MS = 50;
/** Time for which messages are collected, to be published together. */
const PUBLISH_DELAY_MS = 10;
/** Maximum number of unsent messages. Above it, one message announces the gap to the others. */
const UNSENT_MAX = 10_000;
const NOTIFY_CHANNEL = "tocsin";
/** Nodes of every version use this name. */
const GAP_TOPIC = "missed";
const HELLO_TOPIC = "hello";

/**
 * One of the processes that share a PostgreSQL database. It reports that it is alive, publishes messages to the others
 * and receives theirs.
 */
export class SharedNodes implements Nodes {
  readonly id: string;
  readonly #deps: SharedNodesDeps;
  readonly #subscription: ChannelSubscription;
  readonly #handlers = new Map<string, MessageHandler[]>();
  readonly #gapListeners: (() => void)[] = [];
  readonly #heartbeatListeners: (() => Promise<void>)[] = [];
  readonly #deadNodesListeners: ((ids: readonly string[]) => Promise<void>)[] = [];
  readonly #rejoinListeners: (() => void)[] = [];
  #count = 1;
  /** A time of the database's clock. Absence before this time does not count against a node. */
  #absenceCountsFromAt = 0;
  /** Time of the last successful heartbeat, by `elapsed`, like `#stableAt`. */
  #lastHeartbeatAt = Number.NEGATIVE_INFINITY;
  #stableAt = 0;
  #unsent: NodeMessage[] = [];
  #publishing: Promise<void> | null = null;
  #runningHeartbeat: Promise<void> | null = null;
  /** The work that a heartbeat started. The next heartbeat does not wait for it. */
  #runningListeners: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isStarted = false;
  #isStopped = false;

  constructor(deps: SharedNodesDeps) {
    this.id = deps.id;
    this.#deps = deps;
    this.#subscription = deps.subscribe({
      channel: NOTIFY_CHANNEL,
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

  get isStable(): boolean {
    const at = this.#deps.clock.elapsed();
    return at - this.#lastHeartbeatAt <= UNSTABLE_AFTER_MS && at >= this.#stableAt;
  }

  publish(topic: string, body: unknown = null): void {
    // A single node has no subscriber, and a new node reads the database first.
    if (this.#count > 1 && !this.#isStopped) this.#queueMessage({ topic, body });
  }

  on(topic: string, handle: MessageHandler): void {
    this.#handlers.set(topic, [...(this.#handlers.get(topic) ?? []), handle]);
  }

  onGap(listener: () => void): void {
    this.#gapListeners.push(listener);
  }

  onHeartbeat(listener: () => Promise<void>): void {
    this.#heartbeatListeners.push(listener);
  }

  onDeadNodes(listener: (ids: readonly string[]) => Promise<void>): void {
    this.#deadNodesListeners.push(listener);
  }

  onRejoin(listener: () => void): void {
    this.#rejoinListeners.push(listener);
  }

  /** Subscribes first, so that no change after the first read of the database is missed. */
  async start(): Promise<void> {
    this.on(HELLO_TOPIC, () => (this.#count = Math.max(2, this.#count)));
    this.on(GAP_TOPIC, () => this.#notifyGap());
    await this.#subscription.start();
    await this.#heartbeat();
    this.#isStarted = true;
    // Nodes that started after the heartbeat are not known yet.
    this.#queueMessage({ topic: HELLO_TOPIC, body: null });
    await this.#publishing;
  }

  /** Publishes the remaining messages, unsubscribes, and removes this node from the database. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#runningHeartbeat;
    await this.#runningListeners;
    await this.#publishing;
    await this.#subscription.stop();
    try {
      await removeNode(this.#deps.context.database, this.id);
    } catch (error) {
      this.#deps.context.log.warn(
        { err: error },
        "this node could not be removed; the other nodes will declare it dead",
      );
    }
  }

  /** Never rejects. */
  async #heartbeat(): Promise<void> {
    const { context, clock, role } = this.#deps;
    const requestedAt = clock.elapsed();
    let waitMs = HEARTBEAT_INTERVAL_MS;
    try {
      const rules = {
        deadAfterMs: DEAD_AFTER_MS,
        absenceCountsFromAt: this.#absenceCountsFromAt,
        silenceMaxMs: SILENCE_MAX_MS,
      };
      const result = await recordHeartbeat(context.database, { id: this.id, role, ...rules });
      const receivedAt = clock.elapsed();
      clock.applyReading({ requestedAt, at: result.at, receivedAt });
      const { silentMs } = result;
      if (silentMs > UNSTABLE_AFTER_MS) this.#stableAt = receivedAt + STABILIZE_MS;
      this.#lastHeartbeatAt = receivedAt;
      const wasSilent = silentMs > SILENCE_MAX_MS;
      this.#absenceCountsFromAt = wasSilent
        ? result.at
        : Math.min(this.#absenceCountsFromAt, result.at);
      this.#count = result.otherCount + 1;
      waitMs = getHeartbeatDelayMs(result, this.#absenceCountsFromAt);
      // Leases of this node may have been taken over or may expire soon.
      if ((wasSilent || !result.wasRegistered) && this.#isStarted)
        for (const listener of this.#rejoinListeners) listener();
      this.#runningListeners ??= this.#runListeners(result.deadIds).finally(
        () => (this.#runningListeners = null),
      );
    } catch (error) {
      context.log.warn({ err: error }, "the heartbeat could not be recorded");
    }
    if (this.#isStopped) return;
    const remainingMs = waitMs - (clock.elapsed() - requestedAt);
    this.#timer = setTimeout(
      () => {
        this.#runningHeartbeat = this.#heartbeat();
      },
      Math.max(HEARTBEAT_DELAY_MIN_MS, remainingMs),
    ).unref();
  }

  /** Never rejects. */
  async #runListeners(deadIds: readonly string[]): Promise<void> {
    try {
      await this.#takeOver(deadIds);
      for (const listener of this.#heartbeatListeners) await listener();
    } catch (error) {
      this.#deps.context.log.warn(
        { err: error },
        "work after a heartbeat failed; the next heartbeat repeats it",
      );
    }
  }

  /**
   * Takes over from dead nodes, then deletes them. If this node dies in between, another one repeats the takeover,
   * which is idempotent.
   */
  async #takeOver(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    for (const listener of this.#deadNodesListeners) await listener(ids);
    await deleteDeadNodes(this.#deps.context.database, { ids, deadAfterMs: DEAD_AFTER_MS });
    this.#deps.context.log.warn({ nodes: ids }, "dead nodes were removed");
  }

  #queueMessage(message: NodeMessage): void {
    if (this.#unsent.length >= UNSENT_MAX) this.#unsent = [{ topic: GAP_TOPIC, body: null }];
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
      for (const texts of encodeMessages(this.id, messages)) {
        await notifyChannel(this.#deps.context.database, { channel: NOTIFY_CHANNEL, texts });
      }
    } catch (error) {
      this.#deps.context.log.warn(
        { err: error },
        "messages to the other nodes could not be published",
      );
      this.#unsent = [{ topic: GAP_TOPIC, body: null }];
      await new Promise((resolve) => setTimeout(resolve, HEARTBEAT_INTERVAL_MS));
    }
    const hasMore = this.#unsent.length > 0 && !this.#isStopped;
    this.#publishing = hasMore ? this.#publishSoon() : null;
  }

  #receive(text: string): void {
    const envelope = decodeMessages(text);
    if (envelope === null || envelope.from === this.id) return;
    for (const { topic, body } of envelope.messages) {
      for (const handle of this.#handlers.get(topic) ?? []) handle(body);
    }
  }

  #notifyGap(): void {
    for (const listener of this.#gapListeners) listener();
  }
}

/**
 * Returns the wait until the next heartbeat. If a death is expected, the heartbeat comes right after it, so that the work
 * of the dead node is taken over as soon as possible.
 */
function getHeartbeatDelayMs(
  { at, oldestSeenAt }: HeartbeatResult,
  absenceCountsFromAt: number,
): number {
  if (oldestSeenAt === null) return HEARTBEAT_INTERVAL_MS;
  const untilDeathMs = Math.max(oldestSeenAt, absenceCountsFromAt) + DEAD_AFTER_MS - at;
  return Math.max(HEARTBEAT_DELAY_MIN_MS, Math.min(HEARTBEAT_INTERVAL_MS, untilDeathMs + 1));
}
