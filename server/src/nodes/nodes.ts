/** Handles a message from another node. Must not throw. */
export type MessageHandler = (body: unknown) => void;

/** The processes that share one database. */
export interface Nodes {
  /** Identifies this process. Never reused. */
  readonly id: string;
  /** Number of processes, including this one. */
  readonly count: number;
  /** False while messages from other nodes may be lost. */
  readonly isListening: boolean;
  /** False after ten seconds without a heartbeat, and then until the others have had time to renew their leases. */
  readonly isStable: boolean;
  /** Publishes a message to the other nodes soon; the message may be lost. `body` is sent as JSON. */
  publish(topic: string, body?: unknown): void;
  /** Subscribes to the messages of other nodes on a topic. */
  on(topic: string, handle: MessageHandler): void;
  /** Registers a function that runs whenever messages may have been lost. It must not throw. */
  onGap(listener: () => void): void;
  /**
   * Registers a function that runs after heartbeats, about every two seconds, because other nodes may have left work.
   * Its errors are logged.
   */
  onHeartbeat(listener: () => Promise<void>): void;
  /** Registers a function that takes over from dead nodes. Its errors are logged, and the nodes are reported again. */
  onDeadNodes(listener: (ids: readonly string[]) => Promise<void>): void;
  /**
   * Registers a function that runs after this node could not report for a while: other nodes may have taken its
   * leases. It must not throw.
   */
  onRejoin(listener: () => void): void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Returns the nodes of a database with only one process. They publish, receive and write nothing. */
export function createSingleNode(id: string): Nodes {
  return {
    id,
    count: 1,
    isListening: true,
    isStable: true,
    publish() {},
    on() {},
    onGap() {},
    onHeartbeat() {},
    onDeadNodes() {},
    onRejoin() {},
    async start() {},
    async stop() {},
  };
}
