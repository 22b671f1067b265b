/** Handles a message from another node; must not throw. */
export type Take = (body: unknown) => void;

/** The processes that share one database. */
export interface Nodes {
  /** Identifies this process; never used again. */
  readonly id: string;
  /** Number of processes, this one included. */
  readonly count: number;
  /** False while messages of the others may be lost. */
  readonly isListening: boolean;
  /** False while the database is out of reach, and then until the others have had time to renew their leases. */
  readonly isSettled: boolean;
  /** Publishes a message to the others, soon; it may be lost. `body` is sent as JSON. */
  publish(topic: string, body?: unknown): void;
  /** Subscribes to the others' messages on a topic. */
  on(topic: string, take: Take): void;
  /** Registers what runs whenever messages may have been lost; must not throw. */
  onGap(run: () => void): void;
  /** Registers what runs every two seconds, as others may have left work; an error is logged. */
  onBeat(run: () => Promise<void>): void;
  /** Registers what takes over from dead nodes; an error is logged, and the nodes are reported again. */
  onDead(run: (ids: readonly string[]) => Promise<void>): void;
  /**
   * Registers what runs when this node could not report for a while that it lives: its leases may have been given to
   * others; must not throw.
   */
  onReturn(run: () => void): void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Returns the only process of its database: it publishes nothing, receives nothing, and writes nothing. */
export function createLoneNode(id: string): Nodes {
  return {
    id,
    count: 1,
    isListening: true,
    isSettled: true,
    publish() {},
    on() {},
    onGap() {},
    onBeat() {},
    onDead() {},
    onReturn() {},
    async start() {},
    async stop() {},
  };
}
