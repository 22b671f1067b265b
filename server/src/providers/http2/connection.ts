import type { Socket } from "node:net";
import type { ConnectionEvents, Http2ConnectionOptions } from "./connection-options.ts";
import { dial, hasAgreedToHttp2 } from "./dial.ts";
import type { Http2Connection, Http2Request } from "./http2.ts";
import { LivenessWatch } from "./liveness.ts";
import { FirstResultReporter } from "./first-result-reporter.ts";
import { ERROR_CODE } from "./wire/codes.ts";
import { Outbox } from "./wire/outbox.ts";
import { Session } from "./wire/session.ts";
import { StreamSignals } from "./wire/stream-signals.ts";
import type { StreamEnd } from "./wire/stream.ts";

/** The end of one stream, with its connection unless the request is lost. */
export type SendEnd =
  | (Exclude<StreamEnd, { readonly kind: "lost" }> & { readonly connection: Connection })
  | Extract<StreamEnd, { readonly kind: "lost" }>;

/** The stream limit before the server's SETTINGS arrive. A server refuses streams beyond its limit. */
const STREAMS_BEFORE_SETTINGS = 1;
/** How long the server may take to close its end after we closed ours. */
const CLOSE_GRACE_MS = 1_000;

/** One connection and its requests. It opens on construction, and ends after a failure, on retirement or when idle. */
export class Connection implements Http2Connection {
  readonly #options: Http2ConnectionOptions;
  readonly #events: ConnectionEvents;
  readonly #socket: Socket;
  readonly #outbox: Outbox;
  readonly #session: Session;
  readonly #liveness: LivenessWatch;
  readonly #firstResult: FirstResultReporter;
  readonly #signals = new StreamSignals((stream, error) => this.#session.cancel(stream, error));
  readonly #closed = Promise.withResolvers<void>();
  #isOpen = false;
  #isDraining = false;
  /** True while a chunk is processed. The changes that it causes are reported together afterwards. */
  #isReading = false;
  #hasChanged = false;
  #bytesRead = 0;
  /** The callback of the pending ping. */
  #onPong = (): void => {};
  #error: Error | null = null;
  /** The only timer: for the handshake, the idle time or the close. */
  #timer: NodeJS.Timeout | null = null;

  constructor(options: Http2ConnectionOptions, events: ConnectionEvents) {
    const { origin, ca, connectTimeoutMs, readIdleTimeoutMs, pingTimeoutMs } = options;
    this.#options = options;
    this.#events = events;
    this.#firstResult = new FirstResultReporter(events);
    this.#socket = dial(origin, ca).setNoDelay(true);
    this.#outbox = new Outbox({
      write: (bytes, onWritten) => this.#socket.write(bytes, onWritten),
      onDrained: events.onChange,
    });
    this.#session = this.#openSession(origin);
    this.#liveness = new LivenessWatch({
      readIdleTimeoutMs,
      pingTimeoutMs,
      getBytesRead: () => this.#bytesRead,
      hasPendingRequest: () => this.#session.inFlightCount > 0,
      ping: (onPong) => this.#ping(onPong),
      onSuspect: events.onChange,
      onAlive: events.onChange,
      onDead: () => this.#abandon(new Error("The server stopped responding.")),
    });
    const timeoutError = new Error(`No connection after ${connectTimeoutMs} ms.`);
    this.#startTimer(connectTimeoutMs, () => this.#abandon(timeoutError));
    this.#listen();
  }

  /**
   * True while the connection opens or accepts requests; false once it drains or can begin no more requests, and while a
   * ping is unanswered.
   */
  get isUsable(): boolean {
    return !this.#isDraining && !this.#liveness.isSuspect && !this.#session.isExhausted;
  }

  /** True after the first response. */
  get isProven(): boolean {
    return this.#firstResult.isProven;
  }

  /** The number of requests that can be sent now. */
  get freeStreamCount(): number {
    const { isExhausted, isWindowClosed, streamsMax, inFlightCount } = this.#session;
    if (!this.#isOpen || !this.isUsable || isExhausted || isWindowClosed || this.#outbox.isFull)
      return 0;
    const allowedCount = Math.min(streamsMax ?? STREAMS_BEFORE_SETTINGS, this.#options.streamsMax);
    return Math.max(0, allowedCount - inFlightCount);
  }

  /** Sends a request, which needs a free stream. Rejects only if the request itself is malformed. */
  send(request: Http2Request, signal: AbortSignal): Promise<SendEnd> {
    // An exception of `startRequest` rejects the promise.
    return new Promise((resolve) => {
      const stream = this.#session.startRequest(request, (end) => {
        this.#signals.unwatch(signal, stream);
        resolve(end.kind === "lost" ? end : { ...end, connection: this });
        this.#onStreamEnd();
      });
      this.#stopTimer();
      this.#liveness.start();
      this.#signals.watch(signal, stream);
    });
  }

  retire(): void {
    this.#firstResult.recordEnd();
    this.#drain();
  }

  /** Ends the connection and its requests immediately. Resolves when the socket is closed. */
  async destroy(error: Error): Promise<void> {
    this.#firstResult.recordEnd();
    this.#abandon(error);
    await this.#closed.promise;
  }

  #openSession(origin: URL): Session {
    return new Session(this.#outbox, origin, {
      onCapacityChange: () => this.#reportChange(),
      onResponse: () => this.#firstResult.recordResponse(),
      onGoaway: (code) => this.#onGoaway(code),
      onPong: () => this.#onPong(),
      onBroken: (error) => {
        this.#firstResult.recordFailure({ error, isOrderly: false });
        this.#isDraining = true;
        this.#close();
      },
    });
  }

  #listen(): void {
    const socket = this.#socket;
    const openEvent = this.#options.origin.protocol === "http:" ? "connect" : "secureConnect";
    socket.once(openEvent, () => this.#onConnect());
    socket.on("data", (chunk: Buffer) => this.#onData(chunk));
    socket.on("error", (error: Error) => {
      this.#error ??= error;
    });
    socket.once("close", () => this.#onClose());
  }

  #onConnect(): void {
    if (!hasAgreedToHttp2(this.#socket)) {
      this.#abandon(new Error("The server does not support HTTP/2."));
      return;
    }
    this.#isOpen = true;
    this.#outbox.open();
    this.#waitOrClose();
    this.#events.onChange();
  }

  #onData(chunk: Buffer): void {
    this.#bytesRead += chunk.length;
    this.#isReading = true;
    this.#session.receive(chunk);
    this.#isReading = false;
    if (!this.#hasChanged) return;
    this.#hasChanged = false;
    this.#events.onChange();
  }

  #reportChange(): void {
    if (this.#isReading) this.#hasChanged = true;
    else this.#events.onChange();
  }

  #onStreamEnd(): void {
    if (this.#session.inFlightCount === 0) this.#waitOrClose();
    this.#reportChange();
  }

  #onGoaway(code: number): void {
    const isOrderly = code === ERROR_CODE.noError;
    const error = new Error(`The server sent a GOAWAY with code ${code}.`);
    this.#firstResult.recordFailure({ error, isOrderly });
    this.#drain();
    // After a GOAWAY with an error, servers finish their responses but may not close the connection.
    if (!isOrderly) this.#startTimer(CLOSE_GRACE_MS, () => this.#abandon(error));
  }

  #onClose(): void {
    const error = this.#error ?? new Error("The connection closed.");
    this.#isDraining = true;
    this.#outbox.close();
    this.#firstResult.recordFailure({ error, isOrderly: false });
    this.#session.close(error);
    this.#stopTimer();
    this.#liveness.stop();
    this.#closed.resolve();
    this.#events.onEnd();
  }

  #drain(): void {
    this.#isDraining = true;
    if (this.#session.inFlightCount === 0) this.#waitOrClose();
    this.#reportChange();
  }

  /** Waits for the next request, or closes. Called while no request is pending. */
  #waitOrClose(): void {
    if (this.#isDraining || this.#session.isExhausted) this.#close();
    else this.#startTimer(this.#options.idleTimeoutMs, () => this.retire());
  }

  #close(): void {
    this.#session.close(new Error("The connection is closed."));
    this.#outbox.flush();
    this.#socket.end();
    this.#startTimer(CLOSE_GRACE_MS, () => this.#socket.destroy());
  }

  #abandon(error: Error): void {
    this.#firstResult.recordFailure({ error, isOrderly: false });
    this.#isDraining = true;
    this.#session.close(error);
    this.#outbox.flush();
    this.#socket.destroy();
  }

  #ping(onPong: () => void): void {
    this.#onPong = onPong;
    this.#session.ping();
  }

  #startTimer(ms: number, onTimeout: () => void): void {
    this.#stopTimer();
    this.#timer = setTimeout(onTimeout, ms).unref();
  }

  #stopTimer(): void {
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#timer = null;
  }
}
