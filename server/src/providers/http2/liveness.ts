export interface LivenessSettings {
  /** How long nothing may be received before the server is pinged. */
  readonly readIdleMs: number;
  /** How long the response to a ping may take. */
  readonly pingTimeoutMs: number;
  /** The number of bytes received so far. */
  readonly bytesRead: () => number;
  /** Whether a request waits for its response. */
  readonly isWaiting: () => boolean;
  /** Sends a ping, and calls back on its response. */
  readonly ping: (onAnswer: () => void) => void;
  /** Called when the response to a ping makes the connection usable again. */
  readonly onAlive: () => void;
  /** Called before the ping. */
  readonly onSuspect: () => void;
  /** Called if the ping is not answered in time. */
  readonly onDead: () => void;
}

/** The read idle time consists of this many checks, because Node has no event for reads of a consumed socket. */
const CHECKS = 4;

/**
 * Detects dead connections. Routers drop idle flows silently, and everything sent on them is lost. The checks run from the
 * first request until something is received after the last one.
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

  /** True while a ping is unanswered. */
  get isSuspect(): boolean {
    return this.#deadline !== null;
  }

  /** Starts the checks; does nothing if they already run. */
  start(): void {
    if (this.#interval !== null) return;
    this.#bytesSeen = this.#settings.bytesRead();
    this.#quietChecks = 0;
    this.#interval = setInterval(() => this.#check(), this.#settings.readIdleMs / CHECKS).unref();
  }

  /** Stops all checks permanently. */
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
    ping(() => this.#onPong());
  }

  #onPong(): void {
    if (this.#deadline === null) return;
    clearTimeout(this.#deadline);
    this.#deadline = null;
    if (this.#settings.isWaiting()) this.start();
    this.#settings.onAlive();
  }
}
