/** Takes what another node told; must not throw. */
export type Take = (body: unknown) => void;

/** The processes that share one database. */
export interface Nodes {
  /** Names this process; never used again. */
  readonly id: string;
  /** How many there are, this one included. */
  readonly count: number;
  /** False while what the others tell may pass by unheard. */
  readonly isListening: boolean;
  /** False while the others may not have had time to say what they hold: no word came through to the database lately. */
  readonly isSettled: boolean;
  /** Tells the others something, soon; it may be lost. `body` is told as JSON. */
  publish(topic: string, body?: unknown): void;
  /** Hears what the others tell on a topic. */
  on(topic: string, take: Take): void;
  /** Runs whenever something may have passed by unheard; must not throw. */
  onGap(run: () => void): void;
  /** Runs every two seconds where others may have left something to do; an error is logged. */
  onBeat(run: () => Promise<void>): void;
  /** Takes over from nodes that are dead; an error is logged, and they are told again. */
  onDead(run: (ids: readonly string[]) => Promise<void>): void;
  /** Runs when this node could not say for a while that it lives: what it holds may have been given to others; must not throw. */
  onReturn(run: () => void): void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Returns the only process of its database: it tells nobody, hears nobody, and writes nothing. */
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
