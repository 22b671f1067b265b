export interface LivenessSettings {
  /** How long nothing may be read before the far side is asked for a sign of life. */
  readonly readIdleMs: number;
  /** How long it has to give one. */
  readonly pingTimeoutMs: number;
  /** How much was read so far. */
  readonly bytesRead: () => number;
  /** Whether something is owed to us. */
  readonly isWaiting: () => boolean;
  /** Asks the far side; the callback says that it answered. */
  readonly ping: (onAnswer: () => void) => void;
  /** Called when the answer to a ping lets the connection serve again. */
  readonly onAlive: () => void;
  /** Called when the silence begins to be suspect, before the ping. */
  readonly onSuspect: () => void;
  /** Called when no sign of life came. */
  readonly onDead: () => void;
}

/** Silence is measured in so many looks: Node does not tell when a consumed socket is read. */
const CHECKS = 4;

/**
 * Finds out whether a silent connection is dead. Routers drop idle flows without a word (and then whatever is sent is
 * lost), so silence is looked at from the first request on and until something was read after the last one.
 */
export class LivenessWatch {
  readonly #settings: LivenessSettings;
  #interval: NodeJS.Timeout | null = null;
  #deadline: NodeJS.Timeout | null = null;
  #bytesSeen = 0;
  #quietChecks = 0;

  constructor(settings: LivenessSettings) {
    this.#settings = settings;
  }

  /** True from the moment a ping is sent until it is answered. */
  get isSuspect(): boolean {
    return this.#deadline !== null;
  }

  /** Begins to watch, if it does not do so already. */
  start(): void {
    if (this.#interval !== null) return;
    this.#bytesSeen = this.#settings.bytesRead();
    this.#quietChecks = 0;
    this.#interval = setInterval(() => this.#check(), this.#settings.readIdleMs / CHECKS).unref();
  }

  /** Ends the watch for good. */
  stop(): void {
    this.#pause();
    if (this.#deadline !== null) clearTimeout(this.#deadline);
  }

  #pause(): void {
    if (this.#interval !== null) clearInterval(this.#interval);
    this.#interval = null;
  }

  #check(): void {
    const { bytesRead, isWaiting } = this.#settings;
    const bytes = bytesRead();
    const isQuiet = bytes === this.#bytesSeen;
    this.#bytesSeen = bytes;
    this.#quietChecks = isQuiet ? this.#quietChecks + 1 : 0;
    if (!isQuiet && !isWaiting()) this.#pause();
    if (this.#quietChecks >= CHECKS) this.#suspect();
  }

  #suspect(): void {
    const { pingTimeoutMs, ping, onSuspect, onDead } = this.#settings;
    this.#pause();
    this.#deadline = setTimeout(onDead, pingTimeoutMs).unref();
    onSuspect();
    ping(() => this.#clear());
  }

  #clear(): void {
    if (this.#deadline === null) return;
    clearTimeout(this.#deadline);
    this.#deadline = null;
    if (this.#settings.isWaiting()) this.start();
    this.#settings.onAlive();
  }
}
