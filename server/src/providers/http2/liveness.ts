/** The timeouts of a watch, and the connection that it watches. */
export interface LivenessDeps {
  /** How long the server may send nothing before it is pinged. */
  readonly readIdleTimeoutMs: number;
  /** How long the response to a ping may take. */
  readonly pingTimeoutMs: number;
  /** Returns the number of bytes received so far. */
  readonly getBytesRead: () => number;
  /** Returns whether a request waits for its response. */
  readonly hasPendingRequest: () => boolean;
  /** Sends a ping, and calls back on its response. */
  readonly ping: (onPong: () => void) => void;
  /** Called when the response to a ping makes the connection usable again. */
  readonly onAlive: () => void;
  /** Called just before the ping is sent, when the connection has become suspect. */
  readonly onSuspect: () => void;
  /** Called if the ping is not answered in time. */
  readonly onDead: () => void;
}

/**
 * The number of checks per read idle timeout. Comparing byte counts costs less than a timer that each received chunk
 * restarts.
 */
const CHECKS_PER_READ_IDLE = 4;

/**
 * Detects dead connections. Routers drop idle flows silently, and everything sent on them is lost. The checks start
 * with a request. They stop once something arrives and no request is waiting.
 */
export class LivenessWatch {
  readonly #deps: LivenessDeps;
  #checkTimer: NodeJS.Timeout | null = null;
  #pongTimer: NodeJS.Timeout | null = null;
  #bytesSeen = 0;
  #quietCheckCount = 0;

  constructor(deps: LivenessDeps) {
    this.#deps = deps;
  }

  /** True while a ping is unanswered. */
  get isSuspect(): boolean {
    return this.#pongTimer !== null;
  }

  /** Starts the checks; does nothing if they already run. */
  start(): void {
    if (this.#checkTimer !== null) return;
    this.#bytesSeen = this.#deps.getBytesRead();
    this.#quietCheckCount = 0;
    this.#checkTimer = setInterval(
      () => this.#check(),
      this.#deps.readIdleTimeoutMs / CHECKS_PER_READ_IDLE,
    ).unref();
  }

  /** Stops all checks. They must not be started again. */
  stop(): void {
    this.#pause();
    if (this.#pongTimer !== null) clearTimeout(this.#pongTimer);
  }

  #pause(): void {
    if (this.#checkTimer !== null) clearInterval(this.#checkTimer);
    this.#checkTimer = null;
  }

  #check(): void {
    const { getBytesRead, hasPendingRequest } = this.#deps;
    const bytes = getBytesRead();
    const isQuiet = bytes === this.#bytesSeen;
    this.#bytesSeen = bytes;
    this.#quietCheckCount = isQuiet ? this.#quietCheckCount + 1 : 0;
    if (!isQuiet && !hasPendingRequest()) this.#pause();
    if (this.#quietCheckCount >= CHECKS_PER_READ_IDLE) this.#sendPing();
  }

  #sendPing(): void {
    const { pingTimeoutMs, ping, onSuspect, onDead } = this.#deps;
    this.#pause();
    this.#pongTimer = setTimeout(onDead, pingTimeoutMs).unref();
    onSuspect();
    ping(() => this.#onPong());
  }

  #onPong(): void {
    if (this.#pongTimer === null) return;
    clearTimeout(this.#pongTimer);
    this.#pongTimer = null;
    if (this.#deps.hasPendingRequest()) this.start();
    this.#deps.onAlive();
  }
}
